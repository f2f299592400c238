import type { Judgment } from "../judgments/judgments.ts";
import { type Period, type StoredLog, withLog } from "./database.ts";
import { markRobots, type Robots } from "./robots.ts";

/** How often a document was shown at a rank for a query, and how often it was clicked there. */
export interface Shown {
  query: string;
  document: string;
  /** From 1. */
  rank: number;
  impressions: number;
  /** At most one click for an impression counts. */
  clicks: number;
}

/** A judgment from clicks with what it rests on. */
export interface ClickJudgment extends Judgment {
  impressions: number;
  clicks: number;
  /** The clicks of an average document that is shown as often at the same ranks. */
  expected: number;
}

/**
 * Returns judgments from clicks: the grade of a document for a query is its clicks over expected clicks (COEC). The
 * expected clicks are the sum, over its impressions, of the click-through rate of their ranks among all queries; so 1 is
 * a document that is clicked as often as others at its ranks. Pairs with fewer impressions than the minimum, or none
 * expected, are left out. Best first by query. Source: Zhang and Jones, "Comparing click logs and editorial labels for
 * training query rewriting", WWW 2007 workshop on query log analysis.
 */
export function clicksOverExpected(rows: readonly Shown[], minImpressions: number): ClickJudgment[] {
  const ranks = new Map<number, { impressions: number; clicks: number }>();
  for (const { rank, impressions, clicks } of rows) {
    const sum = ranks.get(rank) ?? { impressions: 0, clicks: 0 };
    ranks.set(rank, { impressions: sum.impressions + impressions, clicks: sum.clicks + clicks });
  }
  const pairs = new Map<string, ClickJudgment>();
  for (const { query, document, rank, impressions, clicks } of rows) {
    const key = JSON.stringify([query, document]);
    const pair = pairs.get(key) ?? { query, document, grade: 0, impressions: 0, clicks: 0, expected: 0 };
    const all = ranks.get(rank);
    pair.impressions += impressions;
    pair.clicks += clicks;
    pair.expected += all ? (impressions * all.clicks) / all.impressions : 0;
    pairs.set(key, pair);
  }
  return [...pairs.values()]
    .filter(({ impressions, expected }) => impressions >= minImpressions && expected > 0)
    .map((pair) => ({ ...pair, grade: Math.round((1_000 * pair.clicks) / pair.expected) / 1_000 }))
    .sort((a, b) => compare(a.query, b.query) || b.grade - a.grade || compare(a.document, b.document));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Log data of a period. */
export interface Counted {
  shown: Shown[];
  robots: Robots;
  /** Fields that the ids of hits came from; `_id` unless searches are personalized by another. */
  idFields: string[];
}

/** Ranks below this are seldom seen, and queries that fetch many hits would outweigh the others. */
const MAX_RANK = 50;

/**
 * Counts how often each hit was shown and clicked at each rank, by the text that the user typed; texts that differ only
 * in case and blanks are one. A line or a click that is stored twice counts once. `index` is as searches named it;
 * absent for every index. Clients that click as robots do are left out.
 */
export function shownAndClicked(log: StoredLog, period: Period & { index?: string | undefined }): Promise<Counted> {
  const counted =
    "search.query <> '' AND ($index IS NULL OR search.index_name = $index) " +
    "AND (search.identity IS NULL OR search.identity NOT IN (SELECT identity FROM robot))";
  const values = { index: period.index ?? null };
  return withLog(log, period, async (database) => {
    const robots = await markRobots(database);
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
      robots,
      idFields: fields.map(({ object_id_field }) => String(object_id_field)),
    };
  });
}
