import * as v from "valibot";
import { firstOfEach, type SearchedQuery } from "../clicks/failures.ts";
import { output } from "./command.ts";
import type { RunsOptions } from "./runs.ts";

/** Which searches of the request log the page asks for. */
export const AskedSearches = v.strictObject({
  days: v.pipe(v.string(), v.regex(/^[1-9]\d{0,3}$/, "must be a number of days from 1 to 9999")),
  /** The index that they named; absent for every index. */
  index: v.optional(v.pipe(v.string(), v.regex(/^[^-]/, "must not start with a hyphen"))),
});
export type AskedSearches = v.InferOutput<typeof AskedSearches>;

/** What people searched for: the first queries of each list that the page shows, most frequent first. */
export interface Searches {
  queries: SearchedQuery[];
  /** How many different queries there were. */
  of: number;
}

/** Queries of each list. */
const LISTED = 200;
/** More than a log has: the command lists 50 by itself. */
const ALL = "999999";

type Options = Pick<RunsOptions, "command" | "conf" | "env"> & { local: boolean };

/** Returns the function that reads what people searched for, as `relevance queries` lists it. */
export function searchesReader({ command, conf, env, local }: Options): (asked: AskedSearches) => Promise<Searches> {
  return async ({ days, index }) => {
    const args = ["queries", "--json", "--conf", conf, "--days", days, "--limit", ALL, ...(local ? ["--local"] : [])];
    const named = index === undefined ? [] : ["--index", index];
    const queries: SearchedQuery[] = JSON.parse(await output([...command, ...args, ...named], { env }));
    return { queries: firstOfEach(queries, LISTED), of: queries.length };
  };
}
