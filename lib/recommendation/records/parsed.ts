import { nearest } from "../../config/nearest.ts";
import type { Issue } from "../../core/http/error.ts";

/** A valid record, or the reasons why it is invalid, with its id if it can be read. */
export type Parsed<T> = { record: T } | { id: string | undefined; issues: readonly Issue[] };

/** Returns the issue for a column that the dataset does not have. */
export function unknownColumn(name: string, known: Iterable<string>): Issue {
  const close = nearest(name, known);
  const advice = close ? `did you mean "${close}"?` : `it has ${[...known].join(", ")}`;
  return { path: name, message: `is not a column of this dataset; ${advice}` };
}

/** Joins the problems of a record into one reason. */
export function reasonOf(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ");
}
