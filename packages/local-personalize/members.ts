import * as v from "valibot";
import { invalid } from "./service-error.ts";

/** A string member of the API model. Violations are reported in the service's own wording. */
export function text(longest: number, { shortest = 0, pattern }: { shortest?: number; pattern?: RegExp } = {}) {
  return v.pipe(
    v.string(),
    v.minLength(shortest, `Member must have length greater than or equal to ${shortest}`),
    v.maxLength(longest, `Member must have length less than or equal to ${longest}`),
    v.regex(pattern ?? /(?:)/, `Member must satisfy regular expression pattern: ${pattern?.source ?? ""}`),
  );
}

/** An integer member within bounds. */
export function whole(low: number, high = Number.MAX_SAFE_INTEGER) {
  return v.pipe(
    v.number(),
    v.integer(),
    v.minValue(low, `Member must have value greater than or equal to ${low}`),
    v.maxValue(high, `Member must have value less than or equal to ${high}`),
  );
}

/** A list member with a limited number of entries. */
export function list<Entry extends v.GenericSchema>(entry: Entry, longest: number, shortest = 0) {
  return v.pipe(
    v.array(entry),
    v.minLength(shortest, `Member must have length greater than or equal to ${shortest}`),
    v.maxLength(longest, `Member must have length less than or equal to ${longest}`),
  );
}

/** A map member with a limited number of entries. */
export function map<Key extends v.GenericSchema<string, string>, Value extends v.GenericSchema>(
  key: Key,
  value: Value,
  most: number,
) {
  return v.pipe(
    v.record(key, value),
    v.check((entries) => Object.keys(entries).length <= most, `Member must have length less than or equal to ${most}`),
  );
}

/** A map member with string keys and string values. */
export function texts<Key extends v.GenericSchema<string, string>>(key: Key, longestValue: number, most: number) {
  return map(key, text(longestValue), most);
}

export const NAME = text(63, { shortest: 1, pattern: /^[a-zA-Z0-9][a-zA-Z0-9\-_]*$/ });
export const ARN = text(256, { pattern: /^arn:([a-z\d-]+):personalize:.*:.*:.+$/ });
export const ROLE_ARN = text(256, { pattern: /^arn:([a-z\d-]+):iam::\d{12}:role\/?[a-zA-Z_0-9+=,.@\-_/]+$/ });
const TAG = /^([\p{L}\p{Z}\p{N}_.:/=+\-@]*)$/u;
export const TAG_KEY = text(128, { shortest: 1, pattern: TAG });
export const TAGS = v.optional(list(v.strictObject({ tagKey: TAG_KEY, tagValue: text(256, { pattern: TAG }) }), 200));
export const FILTER_VALUES = v.optional(texts(text(50, { pattern: /^[A-Za-z0-9_]+$/ }), 1000, 25));
export const PAGE = {
  nextToken: v.optional(text(1500)),
  maxResults: v.optional(whole(1, 100)),
};

/** Parses an input by its shape. Throws one InvalidInputException for all problems, including unknown members. */
export function read<Shape extends v.GenericSchema>(shape: Shape, input: unknown): v.InferOutput<Shape> {
  const result = v.safeParse(shape, input);
  if (result.success) return result.output;
  const problems = result.issues.map((issue) => {
    const value = issue.input === undefined ? "null" : `'${shown(issue.input)}'`;
    return `Value ${value} at '${v.getDotPath(issue) ?? "input"}' failed to satisfy constraint: ${constraint(issue)}`;
  });
  const count = problems.length === 1 ? "1 validation error" : `${problems.length} validation errors`;
  throw invalid(`${count} detected: ${problems.join("; ")}`);
}

function constraint({ input, kind, type, expected, message }: v.BaseIssue<unknown>): string {
  if (input === undefined) return "Member must not be null";
  if (expected === "never") return "Member is unknown to the local Personalize";
  if (type === "picklist") return `Member must satisfy enum value set: ${expected}`;
  return kind === "schema" ? `Member must be of type ${expected}` : message;
}

function shown(value: unknown): string {
  const all = typeof value === "string" ? value : JSON.stringify(value);
  return all.length > 200 ? `${all.slice(0, 200)}…` : all;
}
