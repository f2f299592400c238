import * as v from "valibot";

/**
 * Returns a function's settings from its environment. Throws an Error that names the variables that are missing or wrong.
 * It holds no values: the log gets all properties of an error, and the environment has credentials.
 */
export function readEnvironment<T extends v.GenericSchema>(schema: T): v.InferOutput<T> {
  const result = v.safeParse(schema, process.env);
  if (result.success) return result.output;
  throw new Error(
    `The environment lacks or has wrong: ${result.issues.map((issue) => v.getDotPath(issue)).join(", ")}`,
  );
}
