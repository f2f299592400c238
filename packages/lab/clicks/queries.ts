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
