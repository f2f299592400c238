import type { Shown } from "./coec.ts";
import { type Period, type StoredLog, withLog } from "./database.ts";

/** What the log says of a period. */
export interface Counted {
  shown: Shown[];
  /** Fields that the ids of hits came from; `_id` unless searches are personalized by another. */
  idFields: string[];
}

/** Ranks below this are seldom seen, and queries that fetch many hits would outweigh the others. */
const MAX_RANK = 50;

/**
 * Counts how often each hit was shown and clicked at each rank, by the text that the user typed; texts that differ only
 * in case and blanks are one. A line or a click that is stored twice counts once. `index` is as searches named it;
 * absent for every index.
 */
export function shownAndClicked(log: StoredLog, period: Period & { index?: string | undefined }): Promise<Counted> {
  const counted = "search.query <> '' AND ($index IS NULL OR search.index_name = $index)";
  const values = { index: period.index ?? null };
  return withLog(log, period, async (database) => {
    const shown = await database.rows(
      `SELECT search.query, shown.document, shown.rank::INTEGER AS rank, count(*)::DOUBLE AS impressions,
        count(click.query_id)::DOUBLE AS clicks
      FROM search JOIN shown USING (query_id) LEFT JOIN click USING (query_id, document)
      WHERE ${counted} AND shown.rank <= ${MAX_RANK}
      GROUP BY ALL ORDER BY ALL`,
      values,
    );
    const fields = await database.rows(
      `SELECT DISTINCT object_id_field FROM search WHERE ${counted} AND len(ids) > 0 ORDER BY ALL`,
      values,
    );
    return {
      shown: shown as unknown as Shown[],
      idFields: fields.map(({ object_id_field }) => String(object_id_field)),
    };
  });
}
