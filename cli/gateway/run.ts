import * as v from "valibot";
import type { Run } from "../../lib/relevance/evaluation/evaluate.ts";
import { Failure } from "../errors.ts";
import type { GatewayAnswer } from "./gateway.ts";

const SearchAnswer = v.looseObject({
  search_response: v.looseObject({
    hits: v.looseObject({ hits: v.array(v.looseObject({ _id: v.string() })) }),
  }),
  degraded: v.optional(v.array(v.looseObject({ stage: v.string() })), []),
});

/** Reads what one search found. A document that two indexes have counts once. Throws Failure. */
export function readRun({ body, milliseconds }: GatewayAnswer): Run {
  const answer = v.safeParse(SearchAnswer, body);
  if (!answer.success) throw new Failure(`The gateway's answer is not one of a search: ${v.summarize(answer.issues)}`);
  const { search_response, degraded } = answer.output;
  return {
    ranking: [...new Set(search_response.hits.hits.map(({ _id }) => _id))],
    milliseconds,
    degraded: degraded.map(({ stage }) => stage),
  };
}
