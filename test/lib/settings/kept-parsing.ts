import type { GenericSchema } from "valibot";
import { type Parsing, readSource } from "../../../lib/settings/reader.ts";
import { validate } from "../../../lib/settings/validate.ts";

/** The files of a few whole configurations: most come again in the next test, which changes one of them. */
const KEPT = 100;

/** Returns the same function, which keeps its results for the latest texts. */
export function keeping<Result>(compute: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const result = results.has(text) ? (results.get(text) as Result) : compute(text);
    // Moves it to the end, so that the first one is the one not needed for longest.
    results.delete(text);
    results.set(text, result);
    const [first] = results.keys();
    if (results.size > KEPT && first !== undefined) results.delete(first);
    return result;
  };
}

const sources = {
  yaml: keeping((text) => frozen(readSource(text, "yaml"))),
  json: keeping((text) => frozen(readSource(text, "json"))),
};

const validated = new WeakMap<object, Map<GenericSchema, ReturnType<typeof validate>>>();

/** Parses and validates a text once, although each test reads all files: that takes most of the time of these tests. */
export const keptParsing: Parsing = {
  readSource: (text, format) => sources[format](text),
  validate: (schema, value) => {
    if (typeof value !== "object" || value === null) return validate(schema, value);
    const bySchema = validated.get(value) ?? new Map();
    validated.set(value, bySchema);
    // A copy, because the draft of an invalid value may be made of its parts.
    const result = bySchema.get(schema) ?? frozen(validate(schema, structuredClone(value)));
    bySchema.set(schema, result);
    return result;
  },
};

/** Freezes a value with all that is in it: a check that changed it would do so for later tests, and fails instead. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}
