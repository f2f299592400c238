import type { Need } from "./needs.ts";
import type { ItemError, ItemResult } from "./send.ts";
import type { BulkTarget } from "./target.ts";

/**
 * What becomes of an operation for which another index may have taken over.
 * - `settled`: its outcome stands;
 * - `resend`: it was held, and is sent again as it is;
 * - `prepare`: it is prepared again, for an index that embeds otherwise;
 * - `unfit`: it is stored in an index for which it cannot be prepared, as the name stands for none or for a third one.
 */
export type Fate = "settled" | "resend" | "prepare" | "unfit";

/**
 * Returns the fate of an operation by its item. `target` is what the name stands for by now, `needs` what the operation
 * needs there; `embedsOtherwise`: than what it was prepared for.
 */
export function fateOf(
  item: Pick<ItemResult, "failed" | "status" | "index">,
  now: { target: Pick<BulkTarget, "itemIndex">; needs: readonly Need[]; embedsOtherwise: boolean },
): Fate {
  if (item.failed) {
    if (now.embedsOtherwise) return "prepare";
    return isHeld(item) ? "resend" : "settled";
  }
  if (now.needs.every(({ kind }) => kind === "none")) return "settled";
  if (item.index !== now.target.itemIndex) return "unfit";
  return now.embedsOtherwise ? "prepare" : "settled";
}

/** Returns whether a write block has refused an operation. */
export const isHeld = ({ status }: Pick<ItemResult, "status">): boolean => status === 403;

/** Error of an operation that is stored with embeddings of another index. */
export const unfit = ({ index }: Pick<ItemResult, "index">): ItemError => ({
  status: 503,
  type: "index_replaced",
  reason: `it is stored in ${index}, which took over meanwhile, with the embeddings of the index before`,
  retryable: true,
});
