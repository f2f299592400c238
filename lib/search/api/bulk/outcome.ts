import { ApiError } from "../../../core/http/error.ts";
import type { ItemResult } from "./item.ts";
import type { Operation } from "./operations.ts";
import { ranges } from "./ranges.ts";

/** Returns `outcome_unknown`. Its `error.cause` lists the positions in `bulk_request` by the state of the operation. */
export function outcomeUnknown(
  operations: readonly Operation[],
  results: ReadonlyMap<Operation, ItemResult>,
  { unknown, lostTo }: { unknown: readonly Operation[]; lostTo: readonly unknown[] },
): ApiError {
  const doubtful = new Set(unknown);
  const stateOf = (operation: Operation) => {
    if (doubtful.has(operation)) return "unknown";
    const result = results.get(operation);
    if (!result) return "not_sent";
    return result.failed ? "failed" : "written";
  };
  const states = Map.groupBy(operations, stateOf);
  const shown = Object.fromEntries(
    [...states].map(([state, members]) => [state, ranges(members.map(({ position }) => position))]),
  );
  return new ApiError(
    "outcome_unknown",
    `The answer of the search cluster was lost: whether ${unknown.length} of ${operations.length} operations were ` +
      "written is not known. error.cause lists the positions in bulk_request that are written, failed, unknown and " +
      "not sent. Read the unknown documents before sending them again.",
    { shown, cause: lostTo },
  );
}
