import { elementSlices, memberSlices, type Slice } from "../../../core/json/slices.ts";
import type { BulkRequest, OperationName } from "./request.ts";

/** One operation of a request. Its document stays where it is in the request's text. */
export interface Operation {
  /** Place in `bulk_request`. */
  position: number;
  op: OperationName;
  id: string;
  /** The document as parsed: for looking at, never for sending. */
  doc: Readonly<Record<string, unknown>>;
  /** Where the operation stands in the request's text. */
  element: Slice;
  /** Where its document stands there; none for delete. */
  slice?: Slice;
  /** The operation before this one on the same id. */
  previous?: Operation;
}

/** The operations of a request, each knowing the one before it on the same id. */
export function operationsOf(body: BulkRequest, text: string): Operation[] {
  const list = memberSlices(text).get("bulk_request");
  const elements = elementSlices(text, list?.start, list?.end);
  const latest = new Map<string, Operation>();
  return body.bulk_request.map(({ id, op, doc }, position) => {
    const element = elements[position] ?? { start: 0, end: 0 };
    const slice = op === "delete" ? undefined : memberSlices(text, element.start, element.end).get("doc");
    const previous = latest.get(id);
    const operation: Operation = { position, op, id, doc: doc ?? {}, element };
    if (slice) operation.slice = slice;
    if (previous) operation.previous = previous;
    latest.set(id, operation);
    return operation;
  });
}

/**
 * The rounds in which operations are sent (decisions 4.1): the first of each id, then the second of each id, and so
 * on, so that no two of one id are ever under way together.
 */
export function roundsOf(operations: readonly Operation[]): Operation[][] {
  const rounds: Operation[][] = [];
  const depth = new Map<Operation, number>();
  for (const operation of operations) {
    const round = operation.previous === undefined ? 0 : (depth.get(operation.previous) ?? 0) + 1;
    depth.set(operation, round);
    const members = rounds[round] ?? [];
    rounds[round] = members;
    members.push(operation);
  }
  return rounds;
}
