import { INTERLEAVED } from "@relevance/lib/platform/contract/search.ts";
import { preferenceOf, type UserPreference } from "@relevance/lib/platform/experiments/team-draft.ts";
import { type Estimate, signedInterval } from "@relevance/lib/platform/statistics/share.ts";
import { type Period, type StoredLog, withLog } from "../clicks/database.ts";
import { ALPHA, type ConfiguredExperiment, FEWEST_USERS } from "./report.ts";

/** Sums up the interleaved searches of an experiment for each user, or client where searches name no user. */
export function preferencesOf(
  log: StoredLog,
  period: Period,
  { name, variants }: ConfiguredExperiment,
): Promise<UserPreference[]> {
  const [first, second] = variants;
  return withLog(log, period, async (database) => {
    const rows = await database.rows(
      `SELECT count(*)::DOUBLE AS searches, coalesce(sum(sign(lead)), 0)::DOUBLE AS credit
        FROM search LEFT JOIN (
          SELECT query_id, sum(CASE team WHEN $second THEN 1 WHEN $first THEN -1 ELSE 0 END) AS lead
          FROM (SELECT query_id, unnest(ids) AS document, unnest(teams) AS team FROM search)
          JOIN click USING (query_id, document) GROUP BY query_id
        ) USING (query_id)
        WHERE experiment = $name AND variant = $interleaved AND identity IS NOT NULL GROUP BY identity ORDER BY identity`,
      { name, interleaved: INTERLEAVED, first: first?.name ?? "", second: second?.name ?? "" },
    );
    return rows as unknown as UserPreference[];
  });
}

/** The report of an experiment that interleaves the hits of two variants. */
export interface PreferenceReport {
  experiment: string;
  variants: readonly string[];
  users: number;
  searches: number;
  /** The share of searches that the second variant wins minus the share that the first wins. */
  preference: Estimate;
  /** The variant that users prefer; null if chance explains the difference. */
  preferred: string | null;
}

/** Compares two variants by whose hits users clicked in lists that had the hits of both. */
export function preferenceReport(
  { name, variants }: ConfiguredExperiment,
  users: readonly UserPreference[],
): PreferenceReport {
  const preference = signedInterval(preferenceOf(users), ALPHA);
  const [first, second] = variants;
  const preferred = preference.low > 0 ? second : preference.high < 0 ? first : undefined;
  return {
    experiment: name,
    variants: variants.map((variant) => variant.name),
    users: users.length,
    searches: users.reduce((sum, user) => sum + user.searches, 0),
    preference,
    preferred: preferred?.name ?? null,
  };
}

/** Returns a report in sentences. */
export function preferenceLines({ variants, users, searches, preference, preferred }: PreferenceReport): string[] {
  const shown = (value: number) => `${value > 0 ? "+" : ""}${value.toFixed(4)}`;
  const numbers = `${shown(preference.value)} (95 % interval ${shown(preference.low)} to ${shown(preference.high)})`;
  const [first, second] = variants;
  const verdict =
    preferred === null
      ? `Users prefer neither ${second} nor ${first} by more than chance explains`
      : `Users prefer ${preferred}`;
  return [
    `${verdict}: ${numbers}, the share of ${searches} searches that ${second} wins minus the share that ${first} wins.`,
    ...(users < FEWEST_USERS ? [`Fewer than ${FEWEST_USERS} users: the interval is unreliable.`] : []),
  ];
}
