import { readFileSync } from "node:fs";
import * as v from "valibot";

/** A variable with a text. */
export const Text = v.pipe(v.string(), v.nonEmpty());

/** The id of an account. */
export const AccountId = v.pipe(v.string(), v.regex(/^\d{12}$/));

/** Ids and names of the API keys, `id=name,id=name`; absent if the configuration lists no keys. */
export const ApiKeys = v.optional(v.string());

/** A variable with a whole number. */
export const WholeNumber = v.pipe(v.string(), v.regex(/^\d{1,5}$/), v.transform(Number));

/**
 * Returns the settings in the file beside a function's bundle. The build writes both from the checked
 * configuration, so nothing is checked here: it took 12 ms of a cold start with 500 entries.
 */
export function readConfig<Settings>(file: URL): Settings {
  return JSON.parse(readFileSync(file, "utf8"));
}

/**
 * Returns a function's settings from its environment variables. Throws an Error that names those that are missing or
 * wrong. It holds no values: the log gets all properties of an error, and the environment has credentials.
 */
export function readEnvironment<T extends v.GenericSchema>(schema: T, variables: NodeJS.ProcessEnv): v.InferOutput<T> {
  const result = v.safeParse(schema, variables);
  if (result.success) return result.output;
  throw new Error(
    `The environment lacks or has wrong: ${result.issues.map((issue) => v.getDotPath(issue)).join(", ")}`,
  );
}
