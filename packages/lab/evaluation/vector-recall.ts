import { Failure } from "@relevance/lib/platform/failure.ts";
import { concurrently } from "@relevance/lib/platform/resilience/concurrently.ts";
import { MODELS } from "@relevance/lib/settings/embedding-models.ts";
import type { HybridQuery } from "@relevance/lib/settings/hybrid-search.ts";
import { passageVector } from "@relevance/lib/settings/vectors.ts";
import type { HybridSearchAnswer } from "../../clients/typescript/src/types.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Pair } from "./recall.ts";

/** The searches to compare: exact and approximate. */
export interface Searched {
  mapping: HybridQuery["embedding_mappings"][number];
  /** Whether its vectors are those of passages. */
  isOfPassages: boolean;
  /** The index with the vectors as they are, and up to which sequence number of a shard its documents count. */
  exact: { index: string; upTo: number | undefined };
  /** The index with the vectors that are measured. */
  approximate: string;
  /** Hits of a search, and candidates of an approximate one. */
  k: number;
  candidates: number;
}

/** Searches at a time: few, so that their times are those of a cluster that is not busy. */
const AT_ONCE = 2;

/** Searches for each query text both ways, through the gateway, which embeds and quantizes as in any search. */
export function searchBoth(gateway: Gateway, searched: Searched, queries: readonly string[]): Promise<Pair[]> {
  const { exact, approximate, k, candidates } = searched;
  return concurrently(queries, AT_ONCE, async (query) => ({
    query,
    exact: await search(gateway, exact.index, query, candidates, exactQuery(searched)),
    approximate: await search(gateway, approximate, query, k, approximateQuery(searched)),
  }));
}

/** Compares the query with every vector, by a script of the cluster; sparse weights by an ordinary query. */
function exactQuery({
  mapping: { embedding_field: field, model_name },
  isOfPassages,
  exact: { upTo },
}: Searched): object {
  const within = upTo === undefined ? [] : [{ range: { _seq_no: { lte: upTo } } }];
  const token = `[${field}]`;
  if (MODELS[model_name].kind === "sparse") return { bool: { should: token, filter: within } };
  const params = { field: isOfPassages ? passageVector(field) : field, query_value: token, space_type: "cosinesimil" };
  const script = { source: "knn_score", lang: "knn", params };
  if (isOfPassages) {
    const query = { script_score: { query: { match_all: {} }, script } };
    return { bool: { must: [{ nested: { path: field, score_mode: "max", query } }], filter: within } };
  }
  const query = { bool: { filter: [{ exists: { field } }, ...within] } };
  return { script_score: { query, script } };
}

function approximateQuery({ mapping: { embedding_field: field, model_name }, candidates }: Searched): object {
  const token = `[${field}]`;
  if (MODELS[model_name].kind === "sparse") return { bool: { should: token } };
  return { knn: { [field]: { vector: token, k: candidates } } };
}

async function search(
  gateway: Gateway,
  index: string,
  text: string,
  size: number,
  query: object,
): Promise<Pair["exact"]> {
  const { body } = await gateway.post<HybridSearchAnswer>("/application/hybrid-search", {
    index,
    search_query: text,
    is_logging_enable: false,
    // The order of the one subquery, whatever the index has for its own searches.
    settings: { weights: [1], normalization: "min_max", combination: "arithmetic_mean" },
    boost: {},
    variety: {},
    search_request_template: { size, _source: false, query: { hybrid: { queries: [query] } } },
  });
  const { degraded, search_response } = body;
  if (degraded?.[0]) throw new Failure(`A search of ${index} is degraded: ${degraded[0].reason}`);
  const { took, hits } = search_response;
  return {
    ranking: hits.hits.map(({ _id = "" }) => _id),
    scores: hits.hits.map(({ _score }) => _score ?? 0),
    milliseconds: took,
  };
}
