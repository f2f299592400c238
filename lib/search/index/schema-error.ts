/** A base schema that cannot be extended. The message says what is wrong with it and what to do. */
export class SchemaError extends Error {
  override name = "SchemaError";
}
