/** A base schema that cannot be extended. The message says what is wrong with it and what to do. */
export class SchemaError extends Error {
  override name = "SchemaError";
}

/** A JSON object. */
export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
