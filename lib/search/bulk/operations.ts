import type { OperationName } from "../../platform/contract/search.ts";
import { type BytesCall, holdsProtoKey, parseJsonBody, requireJson } from "../../platform/http/body-handlers.ts";
import { validate } from "../../platform/http/validate.ts";
import { MAX_DEPTH } from "../../platform/json/nesting.ts";
import { endOfValue, INVALID, keyIs, readArray, readObject, skipSpace } from "../../platform/json/scan.ts";
import type { Slice } from "../../platform/json/slices.ts";
import { OPEN_BRACE, OPEN_BRACKET } from "../../platform/json/values.ts";
import { BulkRequest } from "./request.ts";

/** The version on which a write is conditional. If the document has another one, the cluster answers 409. */
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
  /** Position of the operation in the request's bytes. */
  element: Slice;
  /**
   * Position of the document in the request's bytes; absent for delete. The bytes are sent unparsed, because parsing
   * changes numbers.
   */
  slice?: Slice;
  routing?: string;
  /** Version from the caller's `if_seq_no` and `if_primary_term`. */
  guard?: Guard;
  /** The document's version in the caller's system. */
  external?: { version: number; type: string };
  /** Whether an update may create the document. */
  upsert?: boolean;
  /** The previous operation on the same id, regardless of routing. */
  previous?: Operation;
}

/** A bulk request: its members outside of the documents, and its bytes, which contain the documents. */
export interface BulkCall extends BytesCall {
  body: Pick<BulkRequest, "index" | "refresh">;
  operations: readonly Operation[];
}

/** Reads the body of a request. Checks content type, nesting, syntax and schema, and throws ApiError. */
export async function readBulk(call: BytesCall): Promise<BulkCall> {
  const { bytes } = call;
  requireJson(call);
  const outline = outlineOf(bytes);
  if (!outline || holdsProtoKey(bytes)) {
    // Throws an error that describes the problem.
    await parseJsonBody(bytes);
    throw new Error("the body is JSON, but its outline could not be read");
  }
  const { bulk_request, ...body } = validate(BulkRequest, JSON.parse(outline.envelope));
  return { ...call, body, operations: operationsOf(bulk_request, outline.places) };
}

/** Positions of one operation in the bytes of a request. */
interface OperationPlace {
  element: Slice;
  /** The document's position, if it is an object. */
  doc?: Slice;
}

/** A bulk request whose documents are not parsed: they reach the cluster as bytes. */
interface Outline {
  /** The request's JSON with `{}` in place of each document. */
  envelope: string;
  /** Positions of the elements of `bulk_request`, in order. */
  places: OperationPlace[];
}

/** The levels of nesting around a document. */
const LEVELS_AROUND = 3;

/** Returns the outline of a request. Undefined if it is not JSON, or nested deeper than requests may be. */
export function outlineOf(bytes: Buffer): Outline | undefined {
  const envelope: string[] = [];
  let copied = 0;
  let places: OperationPlace[] = [];

  const readOperation = (start: number): number => {
    const place: OperationPlace = { element: { start, end: start } };
    const end = readObject(bytes, start, (value, keyStart, keyEnd) => {
      const isDocument = keyIs(bytes, keyStart, keyEnd, "doc");
      const after = endOfValue(bytes, value, MAX_DEPTH - LEVELS_AROUND);
      // The last of several equal keys wins, as in JSON.parse.
      if (isDocument) delete place.doc;
      if (isDocument && after !== INVALID && bytes[value] === OPEN_BRACE) {
        place.doc = { start: value, end: after };
        envelope.push(bytes.toString("utf8", copied, value));
        copied = after;
      }
      return after;
    });
    place.element.end = end;
    places.push(place);
    return end;
  };
  const readMember = (value: number, keyStart: number, keyEnd: number): number => {
    if (!keyIs(bytes, keyStart, keyEnd, "bulk_request")) return endOfValue(bytes, value, MAX_DEPTH - 1);
    places = [];
    if (bytes[value] !== OPEN_BRACKET) return endOfValue(bytes, value, MAX_DEPTH - 1);
    return readArray(bytes, value, (element) =>
      bytes[element] === OPEN_BRACE ? readOperation(element) : endOfValue(bytes, element, MAX_DEPTH - 2),
    );
  };
  const start = skipSpace(bytes, 0);
  const end = bytes[start] === OPEN_BRACE ? readObject(bytes, start, readMember) : endOfValue(bytes, start, MAX_DEPTH);
  if (end === INVALID || skipSpace(bytes, end) !== bytes.length) return undefined;
  envelope.push(bytes.toString("utf8", copied));
  return { envelope: envelope.join("{}"), places };
}

/** Returns the operations of a request, each linked to the previous one on the same id. */
export function operationsOf(given: BulkRequest["bulk_request"], places: readonly OperationPlace[]): Operation[] {
  const latest = new Map<string, Operation>();
  return given.map((one, position) => {
    const { id, op, routing, if_seq_no: seqNo, if_primary_term: primaryTerm, version, version_type: type } = one;
    const { element, doc } = places[position] as OperationPlace;
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

/** Returns a function that parses the documents of a request. */
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
