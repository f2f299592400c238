import { nearest } from "../../config/nearest.ts";
import type { Issue } from "../../core/http/error.ts";
import type { Value } from "./layout.ts";
import { type Read, show } from "./value.ts";

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

/** Puts a value into a record, or what is wrong with it, or that it is missing, into the issues. */
export function keep(
  record: Record<string, Value>,
  issues: Issue[],
  { path, read, required }: { path: string; read: Read; required: boolean },
): void {
  if (read && "value" in read) record[path] = read.value;
  else if (read) issues.push({ path, message: read.issue });
  else if (required) issues.push({ path, message: "is missing: the schema does not let it be empty" });
}

/** Joins the problems of a record into one reason. */
export function reasonOf(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ");
}
