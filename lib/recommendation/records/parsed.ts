import { nearest } from "../../config/nearest.ts";
import type { Issue } from "../../core/http/error.ts";

/** A record that follows the schema, or what keeps it from that. `id` is the record's own when it can be told. */
export type Parsed<T> = { record: T } | { id: string | undefined; issues: readonly Issue[] };

/** What is wrong with a column that the dataset does not have. */
export function unknownColumn(name: string, known: Iterable<string>): Issue {
  const close = nearest(name, known);
  const advice = close ? `did you mean "${close}"?` : `it has ${[...known].join(", ")}`;
  return { path: name, message: `is not a column of this dataset; ${advice}` };
}
