import { type Period, type StoredLog, withLog } from "./database.ts";
import type { SearchedQuery } from "./failures.ts";
import { markRobots } from "./robots.ts";

/** Below this rank a hit is seldom seen. */
const SEEN = 10;

/**
 * Lists what people searched for, most frequent first, by the text that they typed; texts that differ only in case and blanks are one. `index`
 * is as searches named it; absent for every index. Clients that click as robots do are left out.
 */
export function searchedQueries(
  log: StoredLog,
  period: Period & { index?: string | undefined },
): Promise<SearchedQuery[]> {
  return withLog(log, period, async (database) => {
    await markRobots(database);
    const rows = await database.rows(
      `WITH first AS (
        SELECT search.*, coalesce(clicked.clicks, 0) AS clicks FROM search
        LEFT JOIN (SELECT query_id, count(*) AS clicks FROM click JOIN shown USING (query_id, document) GROUP BY query_id)
          AS clicked USING (query_id)
        WHERE query <> '' AND skipped = 0 AND ($index IS NULL OR index_name = $index)
          AND (identity IS NULL OR identity NOT IN (SELECT identity FROM robot))
      ), rates AS (
        SELECT rank, count(click.query_id) / count(*) AS rate
        FROM first JOIN shown USING (query_id) LEFT JOIN click USING (query_id, document)
        WHERE rank <= ${SEEN} GROUP BY rank
      ), expected AS (
        SELECT query_id, sum(rate) AS clicks FROM first JOIN shown USING (query_id) JOIN rates USING (rank) GROUP BY query_id
      ), usual AS (SELECT quantile_cont(milliseconds, 0.95) AS p95 FROM first)
      SELECT query, mode(index_name) AS index, count(*)::DOUBLE AS searches, count(DISTINCT identity)::DOUBLE AS people,
        count_if(coalesce(len(ids), 0) = 0 AND coalesce(total, 0) = 0)::DOUBLE AS "zeroHits",
        count_if(len(ids) > 0 AND first.clicks = 0)::DOUBLE AS abandoned,
        sum(first.clicks)::DOUBLE AS clicks, coalesce(sum(expected.clicks), 0)::DOUBLE AS "expectedClicks",
        count_if(is_degraded)::DOUBLE AS degraded,
        coalesce(count_if(milliseconds > usual.p95), 0)::DOUBLE AS slow, quantile_cont(milliseconds, 0.95) AS p95
      FROM first LEFT JOIN expected USING (query_id), usual
      GROUP BY query ORDER BY searches DESC, query`,
      { index: period.index ?? null },
    );
    return rows as unknown as SearchedQuery[];
  });
}
