import { Failure } from "@relevance/lib/platform/failure.ts";
import type { SubqueryHits } from "@relevance/lib/search/fusion/techniques.ts";
import { capabilitiesOf } from "@relevance/lib/search/opensearch/capabilities.ts";
import * as v from "valibot";

const Hit = v.looseObject({ _id: v.string(), _score: v.number(), _doc: v.optional(v.number()) });

const CandidatesAnswer = v.looseObject({
  opensearch_version: v.string(),
  subqueries: v.array(v.looseObject({ shards: v.array(v.looseObject({ hits: v.array(Hit) })) })),
});

/** The candidates of one query, and what the cluster can do with them. */
export interface Candidates {
  subqueries: SubqueryHits[];
  /** Whether reciprocal ranks count over all shards. */
  globalRanks: boolean;
  version: string;
}

/** Reads an answer of `/application/hybrid-search/candidates`. Throws Failure. */
export function readCandidates(body: unknown): Candidates {
  const answer = v.safeParse(CandidatesAnswer, body);
  if (!answer.success) throw new Failure(`The gateway's answer has no candidates: ${v.summarize(answer.issues)}`);
  const { opensearch_version: version, subqueries: answered } = answer.output;
  // The cluster prints a float32 with as few digits as tell it apart from its neighbours.
  const subqueries = answered.map(({ shards }) =>
    shards.map(({ hits }) => hits.map(({ _id, _score, _doc }) => ({ id: _id, score: Math.fround(_score), doc: _doc }))),
  );
  return { subqueries, globalRanks: capabilitiesOf(version).weightedRrf, version };
}
