import type { Hit } from "../compare.ts";
import { isOwnOrder, pageOf } from "./body.ts";
import type { SearchRow } from "./dimensions.ts";
import { DOCUMENTS } from "./documents.ts";

/** What a request of a case asks for: a weight beyond every relevance, so that all hits of a genre come first. */
export const BOOST = { factors: [{ field: "genre", values: { sea: 1 }, weight: 10 }] } as const;

const asks = (row: SearchRow): boolean => row.boost === "request" && pageOf(row).size > 0;

/** Whether hits are raised: the request asks for it, shows hits, and leaves the order to the gateway. */
export const isBoosted = (row: SearchRow): boolean => asks(row) && !isOwnOrder(row);

/** Whether an answer tells that no hits are raised although the request asks for it. */
export const isBoostLost = (row: SearchRow): boolean => asks(row) && isOwnOrder(row);

/** Returns the list with the hits of the genre at the head of its window. */
export function boostedList(list: readonly Hit[], window: number): Hit[] {
  const head = list.slice(0, window);
  const isSea = ({ _id = "" }: Hit) => DOCUMENTS.get(_id)?.genre === "sea";
  return [...head.filter(isSea), ...head.filter((hit) => !isSea(hit)), ...list.slice(window)];
}
