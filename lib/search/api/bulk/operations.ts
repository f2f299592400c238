import { elementSlices, memberSlices, type Slice } from "../../../core/json/slices.ts";
import type { BulkRequest, OperationName } from "./request.ts";

/** The version that a write may replace. If the document has another one, the cluster answers 409. */
export interface Guard {
  seqNo: number;
  primaryTerm: number;
}

/** One operation of a request. Its document is not copied: slices point into the request's text. */
export interface Operation {
  /** Index in `bulk_request`. */
  position: number;
  op: OperationName;
  id: string;
  /** The parsed document, for reading only. What is sent is the text, since parsing changes numbers. */
  doc: Readonly<Record<string, unknown>>;
  /** The operation in the request's text. */
  element: Slice;
  /** Its document in the request's text; absent for delete. */
  slice?: Slice;
  routing?: string;
  /** The version that the caller allows to be replaced. */
  guard?: Guard;
  /** The document's version in the caller's system. */
  external?: { version: number; type: string };
  /** Whether an update may create the document. */
  upsert?: boolean;
  /** The previous operation on the same id, with whatever routing. */
  previous?: Operation;
}

/** Returns the operations of a request, each linked to the previous one on the same id. */
export function operationsOf(body: BulkRequest, text: string): Operation[] {
  const list = memberSlices(text).get("bulk_request");
  const elements = elementSlices(text, list?.start, list?.end);
  const latest = new Map<string, Operation>();
  return body.bulk_request.map((given, position) => {
    const { id, op, doc, routing, if_seq_no: seqNo, if_primary_term: primaryTerm, version, version_type: type } = given;
    const element = elements[position] ?? { start: 0, end: 0 };
    const slice = op === "delete" ? undefined : memberSlices(text, element.start, element.end).get("doc");
    const previous = latest.get(id);
    const operation: Operation = { position, op, id, doc: doc ?? {}, element };
    if (slice) operation.slice = slice;
    if (routing !== undefined) operation.routing = routing;
    if (seqNo !== undefined && primaryTerm !== undefined) operation.guard = { seqNo, primaryTerm };
    if (version !== undefined && type !== undefined) operation.external = { version, type };
    if (given.doc_as_upsert) operation.upsert = true;
    if (previous) operation.previous = previous;
    latest.set(id, operation);
    return operation;
  });
}

/**
 * Groups operations into the rounds in which they are sent: the first operation on each id, then the second on each id,
 * and so on. Two operations on one id are never in progress at the same time, so they take effect in order.
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
