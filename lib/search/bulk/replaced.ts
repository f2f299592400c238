import type { Need } from "./needs.ts";
import type { ItemResult } from "./send.ts";
import type { BulkTarget } from "./target.ts";

/**
 * The index that a name stands for now, compared with the one before: the same index, another one that embeds alike, another one that does
 * not, or nobody knows.
 */
export type Followed = "same" | "alike" | "other" | "unknown";

/**
 * The fate of an operation for which another index may have taken over.
 * - `settled`: its outcome stands;
 * - `resend`: it was held, and is sent again as it is;
 * - `prepare`: it is prepared again, for an index that embeds otherwise;
 * - `stays`: it is stored in an index for which it cannot be prepared, as nobody knows that one or it is a third one.
 */
export type Fate = "settled" | "resend" | "prepare" | "stays";

/** Returns the fate of an operation by its item. `target` is what the name stands for now, `needs` what the operation needs there. */
export function fateOf(
  item: Pick<ItemResult, "failed" | "status" | "index">,
  now: { target: Pick<BulkTarget, "itemIndex">; needs: readonly Need[]; followed: Followed },
): Fate {
  if (item.failed) {
    if (now.followed === "other") return "prepare";
    return isHeld(item) ? "resend" : "settled";
  }
  // Nothing has taken over if the name stands for the same index: a pipeline has sent the document elsewhere.
  if (now.followed === "same" || now.needs.every(({ kind }) => kind === "none")) return "settled";
  if (now.followed === "unknown" || item.index !== now.target.itemIndex) return "stays";
  return now.followed === "other" ? "prepare" : "settled";
}

/** Returns whether a write block has refused an operation. */
export const isHeld = ({ status }: Pick<ItemResult, "status">): boolean => status === 403;

/** Reason why an embedding that is stored is not of the index's model. */
export const OF_ANOTHER_MODEL =
  "another index took over while this was written: the embedding is of the index before, write the document again";
