import type { Slice } from "../../../core/json/slices.ts";
import type { Place } from "./outline.ts";
import type { BulkRequest, OperationName } from "./request.ts";

/** The version that a write may replace. If the document has another one, the cluster answers 409. */
export interface Guard {
  seqNo: number;
  primaryTerm: number;
}

/** One operation of a request. Its document is neither parsed nor copied: slices point into the request's bytes. */
export interface Operation {
  /** Index in `bulk_request`. */
  position: number;
  op: OperationName;
  id: string;
  /** The operation in the request's bytes. */
  element: Slice;
  /** Its document in the request's bytes; absent for delete. What is sent are the bytes: parsing changes numbers. */
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
export function operationsOf(given: BulkRequest["bulk_request"], places: readonly Place[]): Operation[] {
  const latest = new Map<string, Operation>();
  return given.map((one, position) => {
    const { id, op, routing, if_seq_no: seqNo, if_primary_term: primaryTerm, version, version_type: type } = one;
    const { element, doc } = places[position] as Place;
    const previous = latest.get(id);
    const operation: Operation = { position, op, id, element };
    if (doc) operation.slice = doc;
    if (routing !== undefined) operation.routing = routing;
    if (seqNo !== undefined && primaryTerm !== undefined) operation.guard = { seqNo, primaryTerm };
    if (version !== undefined && type !== undefined) operation.external = { version, type };
    if (one.doc_as_upsert) operation.upsert = true;
    if (previous) operation.previous = previous;
    latest.set(id, operation);
    return operation;
  });
}

/** The parsed document of an operation, for reading only. */
export type DocumentOf = (operation: Operation) => Readonly<Record<string, unknown>>;

/** Returns what parses the documents of a request. */
export function documentsIn(bytes: Buffer): DocumentOf {
  return ({ slice }) => (slice ? JSON.parse(bytes.toString("utf8", slice.start, slice.end)) : {});
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
