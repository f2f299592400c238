import { StringDecoder } from "node:string_decoder";
import { isObject } from "../../platform/json/values.ts";
import { placeOf, type Row, type RowPosition, SampleError, type Value } from "./row.ts";

/** The longest object, in characters. A longer one means that a bracket was never closed. */
const MAX_OBJECT_CHARACTERS = 4 * 1_024 * 1_024;

interface ObjectText extends RowPosition {
  text: string;
}

/**
 * Yields the rows of a JSON array of objects, or of a sequence of objects (newline-delimited JSON). Treats the texts in
 * `missing` as no value.
 */
export async function* jsonRows(
  file: string,
  bytes: AsyncIterable<Buffer>,
  missing: ReadonlySet<string>,
): AsyncGenerator<Row> {
  for await (const { text, ...place } of objects(file, bytes)) {
    const fail = (problem: string, cause?: unknown) =>
      new SampleError([`${placeOf(file, place)}  ${problem}`], { cause });
    yield { ...place, ...columnsOf(parseObject(text, fail), missing, fail) };
  }
}

type Fail = (problem: string, cause?: unknown) => SampleError;

/** A number that JavaScript would print differently from the file. */
class WrittenNumber {
  readonly value: number;
  readonly text: string;

  constructor(value: number, text: string) {
    this.value = value;
    this.text = text;
  }
}

function parseObject(text: string, fail: Fail): object {
  const keepText = (_name: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? new WrittenNumber(value, source)
      : value;
  try {
    return JSON.parse(text, keepText);
  } catch (error) {
    throw fail(`is not JSON: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

function columnsOf(object: object, missing: ReadonlySet<string>, fail: Fail): Pick<Row, "values" | "written"> {
  const values = new Map<string, Value>();
  const written = new Map<string, string>();
  for (const [name, value] of Object.entries(object)) {
    values.set(name, toValue(name, value, missing, fail));
    if (value instanceof WrittenNumber) written.set(name, value.text);
  }
  return written.size > 0 ? { values, written } : { values };
}

function toValue(name: string, value: unknown, missing: ReadonlySet<string>, fail: Fail): Value {
  if (value === null || value === "") return undefined;
  if (typeof value === "string") return missing.has(value) ? undefined : value;
  if (value instanceof WrittenNumber) return value.value;
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (isObject(value)) throw fail(`${name} is an object: a column holds text, a number or a list of them`);
  const parts = (value as unknown[]).map((part) => {
    if (part instanceof WrittenNumber) return part.text;
    const inner = toValue(name, part, missing, fail);
    if (Array.isArray(part) || inner === undefined) throw fail(`${name} has an empty value or a list in its list`);
    return String(inner);
  });
  return parts.length === 0 ? undefined : parts.join("|");
}

/**
 * Splits the text into objects. Allows only white space between them, and the commas and brackets of one array. Tracks
 * strings, so that brackets inside them do not count. Leaves all other syntax to JSON.parse.
 */
async function* objects(file: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<ObjectText> {
  const decoder = new StringDecoder("utf8");
  const state = { line: 1, records: 0, array: false, closed: false, comma: true };
  const fail = (problem: string) => new SampleError([`${placeOf(file, place(state))}  ${problem}`]);
  let depth = 0;
  let inString = false;
  let escaped = false;
  let carried = "";
  for await (const chunk of bytes) {
    const text = decoder.write(chunk);
    let start = depth > 0 ? 0 : -1;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 10) state.line += 1;
      if (inString) {
        if (escaped) escaped = false;
        else if (code === 92) escaped = true;
        else if (code === 34) inString = false;
      } else if (depth > 0) {
        if (code === 34) inString = true;
        else if (code === 123 || code === 91) depth += 1;
        else if (code === 125 || code === 93) {
          depth -= 1;
          if (depth > 0) continue;
          yield { ...place(state), text: carried + text.slice(start, at + 1) };
          carried = "";
          start = -1;
        }
      } else if (code === 123 && !state.closed && (state.comma || !state.array)) {
        depth = 1;
        state.comma = false;
        state.records += 1;
        start = at;
      } else {
        between(text.charAt(at), state, fail);
      }
    }
    if (start >= 0) carried += text.slice(start);
    if (carried.length > MAX_OBJECT_CHARACTERS) {
      throw fail(`an object is longer than ${MAX_OBJECT_CHARACTERS} characters: is a bracket never closed?`);
    }
  }
  if (depth > 0) throw fail("ends in the middle of an object");
  if (state.array && !state.closed) throw fail("ends before the array's closing bracket");
}

interface Between {
  line: number;
  /** The number of objects that have begun. */
  records: number;
  array: boolean;
  closed: boolean;
  comma: boolean;
}

/** Without an array, objects are identified by their lines. */
const place = ({ line, records, array }: Between): RowPosition =>
  array && records > 0 ? { line, record: records } : { line };

function between(character: string, state: Between, fail: (problem: string) => SampleError): void {
  const isFirst = state.records === 0;
  if (/[\s\ufeff]/.test(character)) return;
  if (character === "[" && isFirst && !state.array) state.array = true;
  else if (character === "," && state.array && !state.closed && !state.comma && !isFirst) state.comma = true;
  else if (character === "]" && state.array && !state.closed && (isFirst || !state.comma)) state.closed = true;
  else {
    const where = state.array ? "in the array" : "between the objects";
    throw fail(
      `has ${JSON.stringify(character)} ${where} where ${state.closed ? "nothing may follow" : "an object is expected"}`,
    );
  }
}
