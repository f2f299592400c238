import { overlap } from "../../../packages/local-models/rerank-server.ts";
import type { Finding, Hit } from "../compare.ts";
import { isOwnOrder, pageOf } from "./body.ts";
import type { SearchRow } from "./dimensions.ts";
import { DOCUMENTS } from "./documents.ts";
import { searchedText } from "./rules.ts";
import { RERANK } from "./world.ts";

const isAsked = (row: SearchRow) => row.rerank === "request" && pageOf(row).size > 0;

/** Whether hits are reranked: the request asks for it, and the entry of the index has a reranker. */
export const isReranked = (row: SearchRow): boolean => isAsked(row) && !isOwnOrder(row) && row.entry !== "none";

/** Whether an answer tells that hits are not reranked although the request asks for it. */
export const isRerankLost = (row: SearchRow): boolean => isAsked(row) && !isReranked(row);

/**
 * Compares a page that was reranked: it has as many hits as the cluster's page, all from its list and each once, and unless the
 * user's ranking follows, the first ones have ever fewer words of the query.
 */
export function rerankedPage(list: readonly Hit[], got: readonly Hit[], row: SearchRow): Finding[] {
  const { from, size } = pageOf(row);
  const ids = got.map(({ _id = "" }) => _id);
  const expected = list.slice(from, from + size).length;
  const known = new Set(list.map(({ _id }) => _id));
  const isWhole = ids.length === expected && new Set(ids).size === ids.length && ids.every((id) => known.has(id));
  const first = from === 0 && row.ranking === "off" ? ids.slice(0, RERANK.candidates) : [];
  const scores = first.map((id) => overlap(searchedText(row), DOCUMENTS.get(id)?.text ?? ""));
  const isOrdered = scores.every((score, at) => at === 0 || score <= (scores[at - 1] as number));
  return isWhole && isOrdered ? [] : [{ what: "reranked hits", expected: { hits: expected }, got: { ids, scores } }];
}
