import { MAX_DEPTH } from "../../../core/json/nesting.ts";
import { endOfValue, INVALID, keyIs, readArray, readObject, skipSpace } from "../../../core/json/scan.ts";
import { OPEN_BRACE, OPEN_BRACKET, type Slice } from "../../../core/json/slices.ts";

/** The places of one operation in the bytes of a request. */
export interface Place {
  element: Slice;
  /** Its document, if that is an object. */
  doc?: Slice;
}

/** A bulk request whose documents have been read over: they reach the cluster as bytes, so nobody needs them parsed. */
export interface Outline {
  /** The request's JSON with `{}` in place of each document. */
  envelope: string;
  /** The places of `bulk_request`, in its order. */
  places: Place[];
}

/** The levels of nesting around a document. */
const LEVELS_AROUND = 3;

/** Returns the outline of a request. Undefined if it is not JSON, or nested deeper than requests may be. */
export function outlineOf(bytes: Buffer): Outline | undefined {
  const envelope: string[] = [];
  let copied = 0;
  let places: Place[] = [];

  const readOperation = (start: number): number => {
    const place: Place = { element: { start, end: start } };
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
