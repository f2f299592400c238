import type { JsonCall, Reply } from "../../../platform/http/event.ts";
import { invalidRequest } from "../../../platform/http/validate.ts";
import { memberSlices } from "../../../platform/json/slices.ts";
import type { Deadline } from "../../../platform/resilience/deadline.ts";
import { limitRefusal } from "../../access/limits.ts";
import { requireAllowed } from "../../access/names.ts";
import { searchedIndexes, tokenFilters } from "../../access/query.ts";
import { rightsOf } from "../../access/rights.ts";
import { requireTemplate } from "../../access/templates.ts";
import type { SourceTools } from "../../gateway/tools.ts";
import { jsonOf, readCall } from "../../opensearch/calls.ts";
import type { Cluster } from "../../opensearch/cluster.ts";
import type { SearchPipeline } from "../../opensearch/index-catalog.ts";
import { searchShards as shardsRequest } from "../../opensearch/requests.ts";
import { timeLimited } from "../../opensearch/time-limits.ts";
import { bounded } from "../../queries/bounded.ts";
import { stopwatch } from "../../run/reply.ts";
import { withSynonyms } from "../../stages/synonyms.ts";
import type { SynonymReader } from "../../synonyms/document.ts";
import { ofPassages } from "./best-passages.ts";
import { runnableQueries } from "./queries.ts";
import type { CandidatesRequest } from "./request.ts";
import { hybridTarget } from "./target.ts";
import { readTemplate } from "./template.ts";

interface Hit {
  _index: string;
  _id: string;
  _score: number;
  /** Lucene's number of the document on its shard, which breaks ties. */
  _doc?: number;
}

interface ShardAnswer {
  status: number;
  error?: unknown;
  hits?: { hits?: Array<Omit<Hit, "_doc"> & { sort?: readonly [score: number, doc: number] }> };
}

/** Response filter: only the members that are read. */
const FILTER =
  "filter_path=responses.status,responses.error,responses.hits.hits._index,responses.hits.hits._id,responses.hits.hits._score,responses.hits.hits.sort";

/**
 * Answers `POST /application/hybrid-search/candidates`: the hits of each subquery on each shard with the cluster's own
 * scores. `lib/search/fusion` can compute any hybrid search of these subqueries from them. Every subquery must run; a
 * failed embedding is an error.
 */
export async function hybridCandidates(
  tools: SourceTools & { synonyms: SynonymReader },
  call: JsonCall<CandidatesRequest>,
): Promise<Reply> {
  const { cluster, embedder } = tools;
  const { body, text, deadline, caller } = call;
  requireTemplate(caller, null);
  const searched = searchedIndexes(caller, body.index, body.search_request_template);
  const slice = memberSlices(text).get("search_request_template");
  const template = readTemplate(text.slice(slice?.start, slice?.end), null);
  const target = { ...(await hybridTarget(tools, searched, deadline)), onFailure: "fail" as const };
  const depth = Math.min(body.depth ?? target.candidates, target.maxResultWindow);
  requireAllowed(caller, limitRefusal("window", "depth", body.depth ?? 0, rightsOf(caller).limits));
  const asked = { query: body.search_query, weights: null, deadline };
  const [runnable, shards] = await Promise.all([
    runnableQueries(embedder, asked, template, target, stopwatch()),
    shardsOf(cluster, searched, deadline),
  ]);
  if (new Set(shards.map((shard) => shard.index)).size > 1) {
    throw invalidRequest([{ path: "index", message: "stands for several indexes; name one" }]);
  }
  const { passages: fields, can } = target;
  const filters = [...template.filters, ...tokenFilters(caller)];
  const queries = runnable.queries.map((own) => ofPassages(bounded(own, filters), { fields, can }));
  const { synonyms, locale } = body;
  const rewritten = await withSynonyms(tools.synonyms, { entry: target, synonyms, locale, deadline }, queries);
  const answers = await rewritten.attempt({ rewritten: rewritten.query, original: queries }, (all) =>
    searchShards(cluster, { searched, shards, depth, pipeline: target.pipeline }, all, deadline),
  );
  const subqueries = queries.map((_, subquery) => ({
    shards: shards.map((_, shard) => ({ hits: answers[subquery * shards.length + shard] })),
  }));
  return {
    status: 200,
    headers: {},
    body: JSON.stringify({
      index: body.index,
      search_query: body.search_query,
      depth,
      opensearch_version: target.can.version,
      shards: shards.map((shard) => ({ _index: shard.index, shard: shard.number })),
      subqueries,
    }),
  };
}

/** A search for candidates. */
interface ShardSearch {
  searched: string;
  shards: readonly Shard[];
  depth: number;
  pipeline: Pick<SearchPipeline, "request_processors">;
}

/** Returns the hits of each query on each shard: all shards of the first query, then those of the second. */
async function searchShards(
  cluster: Cluster,
  { searched, shards, depth, pipeline: { request_processors } }: ShardSearch,
  queries: readonly unknown[],
  deadline: Deadline,
): Promise<Hit[][]> {
  // Response processors of the index's pipeline run after fusion, so they are left out.
  const search_pipeline = { request_processors };
  const lines = queries.flatMap((query) =>
    shards.flatMap((shard) => [
      JSON.stringify({ index: searched, preference: `_shards:${shard.number}|_primary` }),
      JSON.stringify({ size: depth, _source: false, query, sort: ["_score", "_doc"], search_pipeline }),
    ]),
  );
  const request = {
    method: "POST" as const,
    path: "/_msearch",
    query: FILTER,
    headers: { "content-type": "application/x-ndjson" },
    body: `${lines.join("\n")}\n`,
  };
  // The partial result of a timed-out search would lack candidates, so the search is only cancelled.
  const answer = await readCall(timeLimited(cluster, { timeout: null }), request, deadline);
  const { responses } = jsonOf(answer) as { responses: ShardAnswer[] };
  return responses.map(({ status, error, hits }) => {
    if (error !== undefined) jsonOf({ ...answer, status, body: Buffer.from(JSON.stringify({ error, status })) });
    return (hits?.hits ?? []).map(({ sort, ...hit }) => ({ ...hit, ...(sort && { _doc: sort[1] }) }));
  });
}

/** One shard of an index. */
interface Shard {
  index: string;
  number: number;
}

type SearchShards = {
  shards: Array<Array<{ index: string; shard: number }>>;
};

/** Returns the shards of an index expression, in the order in which the cluster merges them. */
async function shardsOf(cluster: Cluster, expression: string, deadline: Deadline): Promise<Shard[]> {
  const request = shardsRequest({ index: expression });
  const { shards } = jsonOf(await readCall(cluster, request, deadline)) as SearchShards;
  const found = shards.flatMap(([copy]) => (copy ? [{ index: copy.index, number: copy.shard }] : []));
  return found.sort((a, b) => a.number - b.number || (a.index < b.index ? -1 : 1));
}
