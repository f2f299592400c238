import * as v from "valibot";
import { Integer } from "../../lib/platform/http/documents.ts";
import { CandidatesRequest } from "../../lib/search/sources/hybrid/request.ts";

export const Candidate = v.object({
  ...{ _index: v.string(), _id: v.string(), _score: v.number() },
  _doc: v.optional(
    v.pipe(Integer, v.description("The document's number on its shard, by which the cluster orders equal scores.")),
  ),
});

export const ShardCandidates = v.object({
  hits: v.pipe(v.array(Candidate), v.description("Best first, at most `depth`.")),
});

export const SubqueryCandidates = v.object({
  shards: v.pipe(v.array(ShardCandidates), v.description("One for each entry of `shards`, in its order.")),
});

export const ShardName = v.object({ _index: v.string(), shard: Integer });

/** The candidates of each subquery. */
export const CandidatesAnswer = v.object({
  index: CandidatesRequest.entries.index,
  search_query: CandidatesRequest.entries.search_query,
  depth: Integer,
  opensearch_version: v.string(),
  shards: v.array(ShardName),
  subqueries: v.pipe(
    v.array(SubqueryCandidates),
    v.description("One for each subquery, in the order of the template."),
  ),
});
