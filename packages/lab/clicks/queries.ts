import { Failure } from "@relevance/lib/platform/failure.ts";
import { type LogSource, withStoredLog } from "../stored-log/stored-log.ts";
import { withLog } from "./database.ts";

/**
 * Returns the texts that users searched an index for most often, as they named it; the most frequent first. Throws Failure if
 * there are none.
 */
export async function frequentQueries(source: LogSource, index: string, most: number): Promise<string[]> {
  const rows = await withStoredLog(source, ({ log, ...period }) =>
    withLog(log, period, (database) =>
      database.rows(
        `SELECT query FROM search WHERE query <> '' AND index_name = $index
        GROUP BY query ORDER BY count(*) DESC, query LIMIT ${most}`,
        { index },
      ),
    ),
  );
  if (rows.length > 0) return rows.map(({ query }) => String(query));
  const days = `the last ${source.days} days`;
  throw new Failure(`The request log has no search of ${index} with a text in ${days}: give --queries`);
}

/** The template with which most searches of an index are made. */
export interface CustomerSearch {
  /** Null if no search names one. */
  template: string | null;
  /** Searches with it, and all. */
  searches: number;
  of: number;
}

/** Returns the template that most searches with a text name in an index, as they named it. */
export async function customerSearch(source: LogSource, index: string): Promise<CustomerSearch> {
  const [row] = await withStoredLog(source, ({ log, ...period }) =>
    withLog(log, period, (database) =>
      database.rows(
        `SELECT template, count(*)::DOUBLE AS searches, sum(count(*)) OVER ()::DOUBLE AS of FROM search
        WHERE query <> '' AND skipped = 0 AND index_name = $index
        GROUP BY template ORDER BY template IS NULL, searches DESC, template LIMIT 1`,
        { index },
      ),
    ),
  );
  return (row as CustomerSearch | undefined) ?? { template: null, searches: 0, of: 0 };
}
