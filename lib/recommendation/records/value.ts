import { MAX_ID } from "../../personalize/limits.ts";
import { isDecimal } from "../../platform/decimal.ts";
import type { Issue } from "../../platform/http/error.ts";
import { shellWord } from "../../platform/shell-word.ts";
import type { EtlDataset } from "../../settings/etl.ts";
import { nearest } from "../../settings/nearest.ts";
import type { Value } from "./layout.ts";

/** The value, undefined if there is none, or a description of what is wrong with it. */
export type Read<T extends Value = Value> = { value: T } | { issue: string } | undefined;

/** Upper limit of times, in seconds since 1970: October 2096. */
export const MAX_SECONDS = 4e9;

/** A larger number is taken for milliseconds. Seconds since 1970 stay below this until the year 5138. */
const MILLISECONDS = 1e11;

const MAX_INT = 2_147_483_647;
const MAX_LONG = 9_223_372_036_854_775_807n;
const MAX_FLOAT = 3.4028234663852886e38;

/** Matches control characters other than tabs and line breaks. One class: a look-ahead at each character takes longer. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;
const ANY_CONTROL = /\p{Cc}/u;

/** Reads a column's value according to its type. Empty text, an empty list and null count as no value. */
export function readValue(type: EtlDataset["columns"][number]["type"], value: unknown, maxLength: number): Read {
  if (value === undefined || value === null || value === "") return undefined;
  switch (type) {
    case "string":
      return readText(value, maxLength);
    case "float":
      return readFloat(value);
    default:
      return readWhole(value, type);
  }
}

/**
 * Reads text, or several values as `a|b` or as an array. Converts numbers to text, and booleans to `True` or `False`.
 */
export function readText(value: unknown, maxLength: number): Read<string> {
  if (value === undefined || value === null || value === "") return undefined;
  const text = Array.isArray(value) ? joined(value) : plain(value);
  if (text === undefined) {
    return { issue: `must be text or a list of texts that are not empty and hold no "|", got ${show(value)}` };
  }
  if (text === "") return undefined;
  if (text.length > maxLength) return { issue: `has ${text.length} characters, at most ${maxLength} are allowed` };
  if (CONTROL.test(text)) return { issue: "holds a control character" };
  if (!text.isWellFormed()) return { issue: "holds half of a surrogate pair, which is not Unicode text" };
  return { value: text };
}

/**
 * Reads an id: text of at most `maxLength` characters without control characters, or a whole number, which it converts
 * to text. Rejects numbers beyond 2^53, because JSON parsing has lost their last digits.
 */
export function readId(value: unknown, maxLength = MAX_ID): Read<string> {
  const isText = value === undefined || value === null || typeof value === "string";
  if (!isText && !Number.isSafeInteger(value)) return { issue: `must be text, got ${show(value)}` };
  const read = readText(value, maxLength);
  if (read && "value" in read && ANY_CONTROL.test(read.value)) return { issue: "holds a control character" };
  return read;
}

/** Words for "no value". As an id they are accepted, but an export probably wrote them for something that it lacked. */
const NO_VALUE = /^(?:null|nil|none|nan|#?n\/?a|\\n|-+|\?+|unknown|undefined|missing|tbd)$/i;

/** Returns whether a text stands for "no value". */
export const isNoValue = (text: string): boolean => text.trim() === "" || NO_VALUE.test(text.trim());

/** Returns {@link readId} for users, items and sessions. Texts in `refuse` are no ids. */
export function idReader({ refuse = [] }: { readonly refuse?: readonly string[] | undefined }) {
  return (value: unknown): Read<string> => {
    const read = readId(value);
    if (!read || "issue" in read || !refuse.includes(read.value)) return read;
    return { issue: `is ${show(value)}, which personalize.ids.refuse of project.yaml refuses` };
  };
}

/** Returns an issue for an ITEM_ID with the bar that separates the items of an IMPRESSION. */
export function oneItem(read: Read<string>): Read<string> {
  const isList = read && "value" in read && read.value.includes("|");
  return isList ? { issue: 'holds a "|", which separates the items of an IMPRESSION' } : read;
}

/** Reads a number, with or without a fraction. Accepts text. */
export function readFloat(value: unknown): { value: number } | { issue: string } {
  const number = typeof value === "string" && isDecimal(value.trim()) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number) || Math.abs(number) > MAX_FLOAT) {
    return { issue: `must be a number, got ${show(value)}` };
  }
  // -0 and 0 are equal, but would be written differently.
  return { value: number === 0 ? 0 : number };
}

/** Returns the number that a text of a whole number stands for, such as `2008` or `2008.0`. Returns any other value as it is. */
function wholeOf(value: unknown): unknown {
  if (typeof value !== "string" || !/^-?\d{1,15}(\.0*)?$/.test(value)) return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Forms of dates in exported files, as `--timestamp-format` of schema-generation takes them. */
const DATE_FORMS: readonly [RegExp, string][] = [
  [/^\d{4}-\d\d-\d\d$/, "yyyy-MM-dd"],
  [/^\d{4}-\d\d-\d\dT/, "iso"],
  [/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, "yyyy-MM-dd HH:mm:ss"],
  [/^\d{1,2}\/\d{1,2}\/\d{4} \d{1,2}:\d\d$/, "M/d/yyyy H:mm"],
  [/^\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d\d$/, "d.M.yyyy H:mm"],
];

const DAY_SECONDS = 86_400;

/** Reads whole seconds since 1970, at most a day after `now` and before MAX_SECONDS. Accepts text. */
export function readSeconds(value: unknown, now = MAX_SECONDS): Read<number> {
  if (value === undefined || value === null || value === "") return undefined;
  const seconds = wholeOf(value);
  const issue = `must be whole seconds since 1970, got ${show(value)}`;
  const inFile = (form: string) => `; for a file, give schema-generation --timestamp-format ${shellWord(form)}`;
  if (typeof seconds !== "number" || !Number.isInteger(seconds) || seconds < 0) {
    const [, form] = DATE_FORMS.find(([pattern]) => typeof value === "string" && pattern.test(value)) ?? [];
    return { issue: form === undefined ? issue : `${issue}, which looks like a date${inFile(form)}` };
  }
  if (seconds >= MAX_SECONDS) {
    return { issue: `${issue}, which ${tooLate(seconds)}${seconds < MILLISECONDS ? "" : inFile("x")}` };
  }
  return seconds <= now + DAY_SECONDS ? { value: seconds } : { issue: `${issue}, which is later than tomorrow` };
}

/** Reads CREATION_TIMESTAMP: whole seconds, which are negative before 1970. The column's type reads other mistakes. */
export function readCreation(read: Read): Read {
  if (!read || "issue" in read) return read;
  const seconds = Math.abs(Number(read.value));
  if (seconds < MAX_SECONDS) return read;
  return { issue: `must be whole seconds since 1970, got ${read.value}, which ${tooLate(seconds)}` };
}

function tooLate(seconds: number): string {
  return seconds < MILLISECONDS ? "is later than the year 2096" : "looks like milliseconds";
}

function readWhole(value: unknown, type: "int" | "long"): Read {
  const whole = wholeOf(value);
  const written = typeof whole === "number" && Number.isSafeInteger(whole) ? String(whole) : value;
  const number = typeof written === "string" && /^-?\d{1,19}$/.test(written) ? Number(written) : undefined;
  if (number !== undefined && (type === "int" ? Math.abs(number) <= MAX_INT : Number.isSafeInteger(number))) {
    return { value: number === 0 ? 0 : number };
  }
  if (number !== undefined && type === "long") {
    const big = BigInt(String(written));
    if (big <= MAX_LONG && big >= -MAX_LONG) return { value: String(big) };
  }
  return { issue: `must be a whole number${type === "int" ? " of 32 bits" : ""}, got ${show(value)}` };
}

function joined(values: readonly unknown[]): string | undefined {
  const texts = values.map(plain);
  return texts.every((text) => text !== undefined && text !== "" && !text.includes("|")) ? texts.join("|") : undefined;
}

function plain(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "number" && Number.isFinite(value) ? String(value) : undefined;
}

/** Formats a value for a message. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** A valid record, or the reasons why it is invalid, with its id if it can be read. */
export type Parsed<T> = { record: T } | { id: string | undefined; issues: readonly Issue[] };

/** Returns an issue for each column of a record that the dataset does not have. */
export function unknownColumns(record: object, known: ReadonlySet<string>): Issue[] {
  const unknown = Object.keys(record).filter((name) => !known.has(name));
  return unknown.map((path) => {
    const close = nearest(path, known);
    const advice = close ? `did you mean "${close}"?` : `it has ${[...known].join(", ")}`;
    return { path, message: `is not a column of this dataset; ${advice}` };
  });
}

/** Returns the result for a value that is not an object. */
export const notAnObject = (value: unknown) => ({
  id: undefined,
  issues: [{ path: "", message: `must be an object, got ${show(value)}` }],
});

/** Adds a value to a record. If it is invalid or missing, adds an issue instead. */
export function keep(
  record: Record<string, Value>,
  issues: Issue[],
  { path, read, required }: { path: string; read: Read; required: boolean },
): void {
  if (read && "value" in read) record[path] = read.value;
  else if (read) issues.push({ path, message: read.issue });
  else if (required) issues.push({ path, message: "is missing: the schema does not let it be empty" });
}

/** Reads IS_ACTIVE, in any case. It is "True" by default. */
export function readActive(value: unknown): { value: string } | { issue: string } {
  const read = Array.isArray(value) ? { issue: "" } : readText(value, 10);
  if (!read) return { value: "True" };
  const word = "value" in read ? /^(?:(true)|false)$/i.exec(read.value) : null;
  if (!word) return { issue: `must be "True" or "False", got ${show(value)}` };
  return { value: word[1] ? "True" : "False" };
}

/** Joins the problems of a record into one reason. */
export function issuesText(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ");
}
