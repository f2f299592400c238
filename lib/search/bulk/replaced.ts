import type { Need } from "./needs.ts";
import type { ItemResult } from "./send.ts";
import type { BulkTarget } from "./target.ts";

/**
 * The index behind a name, compared with the earlier one: the same index, another one with equal embedding settings
 * (`alike`), another one with different settings, or unknown.
 */
export type Followed = "same" | "alike" | "other" | "unknown";

/**
 * What to do with an operation after the index behind the name may have changed.
 * - `settled`: keep the outcome;
 * - `resend`: a write block refused it, send it again unchanged;
 * - `prepare`: embed it again, for an index with other embedding settings;
 * - `stays`: it is stored in an index for which it cannot be embedded, because that index is unknown or a third one.
 */
export type Fate = "settled" | "resend" | "prepare" | "stays";

/**
 * Decides what to do with an operation by its item. `target` is the index that the name now stands for, `needs` are the
 * operation's needs there.
 */
export function fateOf(
  item: Pick<ItemResult, "failed" | "status" | "index">,
  now: { target: Pick<BulkTarget, "itemIndex">; needs: readonly Need[]; followed: Followed },
): Fate {
  if (item.failed) {
    if (now.followed === "other") return "prepare";
    return isHeld(item) ? "resend" : "settled";
  }
  // If the name still stands for the same index, a pipeline sent the document elsewhere.
  if (now.followed === "same" || now.needs.every(({ kind }) => kind === "none")) return "settled";
  if (now.followed === "unknown" || item.index !== now.target.itemIndex) return "stays";
  return now.followed === "other" ? "prepare" : "settled";
}

/** Returns whether a write block refused an operation. */
export const isHeld = ({ status }: Pick<ItemResult, "status">): boolean => status === 403;

/** Message: the stored embedding was made by another model than the index's. */
export const OF_ANOTHER_MODEL =
  "another index took over while this was written: the embedding is of the index before, write the document again";
