import * as v from "valibot";
import { ApiError, type Issue } from "./error.ts";

/** Returns the value as the schema parses it. Throws `invalid_request` with an issue for every invalid place. */
export function validate<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw invalidRequest(result.issues.map(issueOf));
}

/** Returns an `invalid_request` whose message sums up its issues. */
export function invalidRequest(issues: readonly Issue[]): ApiError {
  const [first] = issues;
  const message =
    issues.length === 1 && first
      ? `The request is not valid: ${first.path ? `${first.path} ` : ""}${first.message}.`
      : `The request is not valid in ${issues.length} places.`;
  return new ApiError("invalid_request", message, { issues });
}

/** Returns an issue of valibot in the words of this API. */
export function issueOf(issue: v.BaseIssue<unknown>): Issue {
  return { path: v.getDotPath(issue) ?? "", message: messageOf(issue) };
}

const DEFAULT_MESSAGE = /^Invalid \w+: (Expected|Received) /;

/** Returns our own messages unchanged, and rewrites those of valibot in the words of this API. */
function messageOf(issue: v.BaseIssue<unknown>): string {
  if (!DEFAULT_MESSAGE.test(issue.message)) return issue.message;
  if (issue.type === "strict_object" && issue.expected === "never") return "is not a known field";
  if (issue.received === "undefined") return "is required";
  return `must be ${expectation(issue)}, got ${cut(issue.received)}`;
}

/** Truncates a value, which may be megabytes long. */
const cut = (received: string): string => (received.length > MAX_SHOWN ? `${received.slice(0, MAX_SHOWN)}…` : received);
const MAX_SHOWN = 100;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  Object: "an object",
  Array: "an array",
  string: "a string",
  number: "a number",
  boolean: "true or false",
};

function expectation({ expected }: v.BaseIssue<unknown>): string {
  if (expected === null) return "something else";
  return TYPE_NAMES[expected] ?? expected.replaceAll(" | ", " or ").replaceAll(/[()]/g, "");
}

const NotAnArray = v.never("must be an object, got Array");

/** Returns an object schema that rejects arrays, which valibot's object schemas accept. */
export function objectSchema<Schema extends v.GenericSchema>(schema: Schema): v.LazySchema<Schema> {
  return v.lazy((input) => (Array.isArray(input) ? NotAnArray : schema) as Schema);
}

/** Keys that valibot leaves out of a record: assigning them could change what an object inherits. */
const DROPPED_KEYS = ["__proto__", "prototype", "constructor"] as const;

/** A key of a record. */
export const RecordKey = v.pipe(v.string(), v.notValues(DROPPED_KEYS));

/** Returns the schema of a record that rejects arrays, and keys that valibot would drop silently. */
export function recordSchema<Schema extends v.GenericSchema>(schema: Schema): v.LazySchema<Schema> {
  return v.lazy((input) => {
    if (Array.isArray(input)) return NotAnArray as unknown as Schema;
    const dropped = DROPPED_KEYS.find((key) => Object.hasOwn(Object(input), key));
    return dropped === undefined ? schema : (v.never(`must not have an entry named "${dropped}"`) as unknown as Schema);
  });
}
