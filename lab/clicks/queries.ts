import { type Period, type StoredLog, withLog } from "./database.ts";

/** Returns the texts that users searched an index for most often, as they named it; the most frequent first. */
export function frequentQueries(
  log: StoredLog,
  { index, most, ...period }: Period & { index: string; most: number },
): Promise<string[]> {
  return withLog(log, period, async (database) => {
    const rows = await database.rows(
      `SELECT query FROM search WHERE query <> '' AND index_name = $index
      GROUP BY query ORDER BY count(*) DESC, query LIMIT ${most}`,
      { index },
    );
    return rows.map(({ query }) => String(query));
  });
}
