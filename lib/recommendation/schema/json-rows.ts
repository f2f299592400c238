import { StringDecoder } from "node:string_decoder";
import { type Row, SampleError, type Value } from "./row.ts";

/** The longest object, in characters. A longer one means that a bracket was never closed. */
const MAX_OBJECT_CHARACTERS = 4 * 1_024 * 1_024;

interface Found {
  line: number;
  text: string;
}

/** Yields the rows of a JSON array of objects, or of a sequence of objects (newline-delimited JSON). */
export async function* jsonRows(file: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  for await (const { line, text } of objects(file, bytes)) {
    const fail = (problem: string, cause?: unknown) => new SampleError([`${file}:${line}  ${problem}`], { cause });
    yield { line, values: columnsOf(parseObject(text, fail), fail) };
  }
}

type Fail = (problem: string, cause?: unknown) => SampleError;

function parseObject(text: string, fail: Fail): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fail(`is not JSON: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

function columnsOf(object: Record<string, unknown>, fail: Fail): Map<string, Value> {
  return new Map(Object.entries(object).map(([name, value]) => [name, toValue(name, value, fail)]));
}

function toValue(name: string, value: unknown, fail: Fail): Value {
  if (value === null || value === "") return undefined;
  if (typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (!Array.isArray(value)) throw fail(`${name} is an object: a column holds text, a number or a list of them`);
  const parts = value.map((part) => {
    const inner = toValue(name, part, fail);
    if (Array.isArray(part) || inner === undefined) throw fail(`${name} has an empty value or a list in its list`);
    return String(inner);
  });
  return parts.length === 0 ? undefined : parts.join("|");
}

/**
 * Splits the text into objects. Allows only white space between them, and the commas and brackets of one array. Tracks
 * strings, so that brackets inside them do not count. Leaves all other syntax to JSON.parse.
 */
async function* objects(file: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Found> {
  const decoder = new StringDecoder("utf8");
  const state = { line: 1, array: false, closed: false, comma: true, first: true };
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
          yield { line: state.line, text: carried + text.slice(start, at + 1) };
          carried = "";
          start = -1;
        }
      } else if (code === 123 && !state.closed && (state.comma || !state.array)) {
        depth = 1;
        state.comma = false;
        state.first = false;
        start = at;
      } else {
        between(file, text.charAt(at), state);
      }
    }
    if (start >= 0) carried += text.slice(start);
    if (carried.length > MAX_OBJECT_CHARACTERS) {
      throw new SampleError([
        `${file}:${state.line}  an object is longer than ${MAX_OBJECT_CHARACTERS} characters: is a bracket never closed?`,
      ]);
    }
  }
  if (depth > 0) throw new SampleError([`${file}:${state.line}  ends in the middle of an object`]);
  if (state.array && !state.closed)
    throw new SampleError([`${file}:${state.line}  ends before the array's closing bracket`]);
}

interface Between {
  line: number;
  array: boolean;
  closed: boolean;
  comma: boolean;
  first: boolean;
}

function between(file: string, character: string, state: Between): void {
  if (/[\s\ufeff]/.test(character)) return;
  if (character === "[" && state.first && !state.array) state.array = true;
  else if (character === "," && state.array && !state.closed && !state.comma && !state.first) state.comma = true;
  else if (character === "]" && state.array && !state.closed && (state.first || !state.comma)) state.closed = true;
  else {
    const where = state.array ? "in the array" : "between the objects";
    throw new SampleError([
      `${file}:${state.line}  has ${JSON.stringify(character)} ${where} where ${state.closed ? "nothing may follow" : "an object is expected"}`,
    ]);
  }
}
