import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from "../../platform/json/values.ts";
import { type EmbeddingOutcome, fitsFloat, unusable } from "./embedder.ts";
import { ModelAnswerError } from "./failure.ts";

/**
 * Allowed difference of a vector's length from 1 before it is scaled. Rounding errors of 32-bit floats are far smaller.
 */
const LENGTH_TOLERANCE = 1e-3;

/** Placeholder for the vectors while the rest of an answer is parsed. */
const CUT_OUT = "vectors";

/**
 * Returns one outcome for each vector of an answer, in order. `listOf` finds the list of vectors in the parsed answer.
 * Vectors of unit length are slices of the answer, which are scanned once and neither parsed nor printed. Any other
 * answer is parsed, to describe each fault. Throws ModelAnswerError if the answer as a whole cannot be used.
 */
export function readVectors(
  answer: Uint8Array,
  count: number,
  dimension: number,
  listOf: (parsed: unknown) => unknown[],
): EmbeddingOutcome[] {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  const start = bytes.indexOf(OPEN_BRACKET);
  const found = scanList(bytes, start, dimension);
  if (
    found &&
    isCutOut(listOf, `${bytes.toString("utf8", 0, start)}["${CUT_OUT}"]${bytes.toString("utf8", found.end)}`)
  ) {
    return requireCount(found.vectors, count).map((json) => ({ kind: "dense", json }));
  }
  return requireCount(listOf(parseJson(bytes)), count).map((vector) => checkDenseVector(vector, dimension));
}

/** Returns whether the rest of an answer is JSON with the placeholder at the position of the vectors. */
function isCutOut(listOf: (parsed: unknown) => unknown[], rest: string): boolean {
  try {
    const list = listOf(JSON.parse(rest));
    return list.length === 1 && list[0] === CUT_OUT;
  } catch {
    return false;
  }
}

/** Parses the JSON of an answer. Throws ModelAnswerError when it is not JSON, such as a bare NaN. */
export function parseJson(answer: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString("utf8"));
  } catch (cause) {
    throw new ModelAnswerError("model answered with something other than JSON", { cause });
  }
}

/** Returns the list. Throws ModelAnswerError if its length differs: then vectors cannot be assigned to texts. */
export function requireCount<T>(list: T[], count: number): T[] {
  if (list.length !== count) throw new ModelAnswerError(`model gave ${list.length} vectors for ${count} texts`);
  return list;
}

/** Returns the vectors at `start`, a list of them or a single one; undefined if one is not a plain unit vector. */
function scanList(bytes: Buffer, start: number, dimension: number): { vectors: Buffer[]; end: number } | undefined {
  if (start < 0) return undefined;
  if (bytes[start + 1] !== OPEN_BRACKET) {
    const end = endOfUnitVector(bytes, start, dimension);
    return end === undefined ? undefined : { vectors: [bytes.subarray(start, end)], end };
  }
  const vectors: Buffer[] = [];
  let at = start + 1;
  for (;;) {
    const end = endOfUnitVector(bytes, at, dimension);
    if (end === undefined) return undefined;
    vectors.push(bytes.subarray(at, end));
    const code = bytes[end];
    if (code === CLOSE_BRACKET) return { vectors, end: end + 1 };
    if (code !== COMMA) return undefined;
    at = end + 1;
  }
}

/** Returned instead of a byte at the end of the answer. */
const END = -1;
const SPACE = 0x20;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const LOWER_E = 0x65;

/** Fraction digits that count towards the length: more than the tolerance needs, and few enough for 32 bits. */
const COUNTED_DIGITS = 8;

/** 10^-n by the number of fraction digits n; longer fractions are rare. */
const SHIFTS = Float64Array.from({ length: 40 }, (_, digits) => 10 ** -digits);

/**
 * Returns the position after the vector at `start` if it is a JSON list of `dimension` numbers whose length is 1: then
 * every number is finite, fits a 32-bit float, and not all are zero. Returns undefined for anything else. Reads each byte
 * once and creates nothing: half the time of JSON.parse, and a fifth of parsing and printing.
 */
function endOfUnitVector(bytes: Buffer, start: number, dimension: number): number | undefined {
  if (bytes[start] !== OPEN_BRACKET) return undefined;
  let at = start;
  let count = 0;
  let squares = 0;
  let code: number;
  do {
    do code = bytes[++at] ?? END;
    while (code === SPACE);
    if (code === MINUS) code = bytes[++at] ?? END;
    let digits = 0;
    let shift = 0;
    // No component of a unit vector has a second digit before the dot.
    if (code < ZERO || code > NINE) return undefined;
    digits = code - ZERO;
    code = bytes[++at] ?? END;
    if (code === DOT) {
      const first = at + 1;
      const last = first + COUNTED_DIGITS;
      code = bytes[++at] ?? END;
      while (code >= ZERO && code <= NINE && at < last) {
        digits = (Math.imul(digits, 10) + code - ZERO) | 0;
        code = bytes[++at] ?? END;
      }
      shift = at - first;
      if (shift === 0) return undefined;
      while (code >= ZERO && code <= NINE) code = bytes[++at] ?? END;
    }
    if (code === LOWER_E || code === UPPER_E) {
      code = bytes[++at] ?? END;
      const negative = code === MINUS;
      if (negative || code === PLUS) code = bytes[++at] ?? END;
      const first = at;
      let exponent = 0;
      while (code >= ZERO && code <= NINE) {
        exponent = exponent * 10 + code - ZERO;
        code = bytes[++at] ?? END;
      }
      if (at === first) return undefined;
      shift -= negative ? -exponent : exponent;
    }
    const value = digits * (SHIFTS[shift] ?? 10 ** -shift);
    squares += value * value;
    count += 1;
    while (code === SPACE) code = bytes[++at] ?? END;
  } while (code === COMMA);
  const isUnit = Math.abs(Math.sqrt(squares) - 1) <= LENGTH_TOLERANCE;
  return code === CLOSE_BRACKET && count === dimension && isUnit ? at + 1 : undefined;
}

/**
 * Checks one vector of an answer and scales it to unit length. It must have the right dimension, finite numbers, and a
 * length within the range of 32-bit floats, because models and cluster compute in 32 bits. A cosine index does not accept
 * the zero vector. Not a schema: those are too slow for 32 x 1,024 numbers a call.
 */
function checkDenseVector(value: unknown, dimension: number): EmbeddingOutcome {
  if (!Array.isArray(value)) return unusable("model gave something other than a vector");
  if (value.length !== dimension) {
    return unusable(`model gave a vector of ${value.length} dimensions, ${dimension} are configured`);
  }
  let squares = 0;
  for (const component of value) {
    // Servers that serialize NaN to JSON write null.
    if (typeof component !== "number") return unusable("model gave a vector with a component that is not a number");
    squares += component * component;
  }
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length)) return unusable("model gave a vector with a component that is not finite");
  if (length === 0) return unusable("model gave a zero vector");
  if (!fitsFloat(length)) {
    return unusable(`model gave a vector of length ${length.toExponential(0)}, which no 32-bit float can hold`);
  }
  const vector: number[] = value;
  const unit = Math.abs(length - 1) <= LENGTH_TOLERANCE ? vector : vector.map((component) => component / length);
  return { kind: "dense", json: Buffer.from(JSON.stringify(unit)) };
}
