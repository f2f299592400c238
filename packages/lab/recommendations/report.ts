import { type Part, type Ratio, ratioOf } from "@relevance/lib/platform/statistics/ratio.ts";
import { type Estimate, shareInterval, signedInterval } from "@relevance/lib/platform/statistics/share.ts";
import type { Period } from "../clicks/database.ts";
import {
  ALPHA,
  type ConfiguredExperiment,
  type ExperimentReport,
  positiveInterval,
  reportOf,
} from "../experiments/report.ts";
import type { UserSums } from "../experiments/users.ts";
import { HOURS, type RecommendationLog, withRecommendations } from "./database.ts";
import type { PlaceReport, RecommendationReport } from "./places.ts";

/** Sums of one user's answers in one place. */
interface Sums {
  place: string;
  is_named: boolean;
  answers: number;
  followable: number;
  clicked: number;
  converted: number;
  fallback: number;
  degraded: number;
  items: number;
  bits: number;
  popular_bits: number;
  next: number;
  in_list: number;
  in_popular: number;
}

/** Measures the lists of each place, and compares the variants of experiments. */
export function recommendationReport(
  log: RecommendationLog,
  period: Period,
  { conversions, experiments }: { conversions: readonly string[]; experiments: readonly ConfiguredExperiment[] },
): Promise<RecommendationReport> {
  return withRecommendations(log, period, async (database) => {
    const types = { conversions: JSON.stringify(conversions) };
    const sums = (await database.rows(SUMS, types)) as unknown as Sums[];
    const [converting] = await database.rows(
      `SELECT count(*)::DOUBLE AS events FROM event WHERE type IN ${WANTED}`,
      types,
    );
    const conversion_events = Number(converting?.events);
    const coverage = await database.rows(COVERAGE);
    const covered = new Map(coverage.map(({ place, share }) => [String(place), Number(share)]));
    const places = [...Map.groupBy(sums, ({ place }) => place)].map(([place, users]) =>
      placeReport(place, users, covered.get(place) ?? null, conversion_events > 0),
    );
    const reports: ExperimentReport[] = [];
    const hashed: string[] = [];
    for (const experiment of experiments) {
      const rows = await database.rows(EXPERIMENT, { name: experiment.name });
      const named = rows.filter(({ identity }) => identity !== null);
      const nobodys = rows.filter(({ identity }) => identity === null);
      const users = named.filter(({ turns }) => Number(turns) === 1);
      if (users.length === 0) continue;
      // Lists of a campaign have an id by which events name them, other lists have none.
      if (named.some(({ followable }) => followable !== true)) {
        hashed.push(experiment.name);
        continue;
      }
      reports.push(
        reportOf(experiment, {
          users: users as unknown as UserSums[],
          mixedUsers: new Set(named.filter(({ turns }) => Number(turns) > 1).map(({ identity }) => identity)).size,
          anonymousSearches: nobodys.reduce((sum, { searches }) => sum + Number(searches), 0),
        }),
      );
    }
    return { conversions, conversion_events, places, experiments: reports, hashed };
  });
}

/** Bits of an item: minus the logarithm of the share of users with an event on it. One more user knows each item. */
const BITS = "-log2((coalesce(users, 0) + 1.0) / ((SELECT count(DISTINCT user) FROM event) + 1.0))";

const WANTED = "(SELECT unnest(json_extract_string($conversions::JSON, '$[*]')))";

const SUMS = `
  WITH clicks AS (SELECT id, bool_or(type IN ${WANTED}) AS is_converted FROM followed GROUP BY id),
  surprising AS (SELECT id, sum(${BITS}) AS bits FROM shown LEFT JOIN popularity USING (item) GROUP BY id),
  popular AS (SELECT place, sum(${BITS}) OVER (ORDER BY place) AS bits FROM popularity),
  later AS (
    SELECT answer.id, count(DISTINCT told.item) AS items,
      count(DISTINCT told.item) FILTER (list_contains(ids, told.item)) AS in_list,
      count(DISTINCT told.item) FILTER (popularity.place <= len(ids)) AS in_popular
    FROM answer JOIN told ON told.identity = answer.identity
        AND told.second BETWEEN answer.second AND answer.second + ${HOURS} * 3600
      JOIN popularity ON popularity.item = told.item
    GROUP BY answer.id
  )
  SELECT answer.place, identity IS NOT NULL AS is_named, count(*)::DOUBLE AS answers,
    count_if(is_followable)::DOUBLE AS followable, count(clicks.id)::DOUBLE AS clicked,
    count_if(is_converted)::DOUBLE AS converted,
    count_if(is_fallback)::DOUBLE AS fallback, count_if(is_degraded)::DOUBLE AS degraded,
    sum(len(ids))::DOUBLE AS items, coalesce(sum(surprising.bits), 0)::DOUBLE AS bits,
    coalesce(sum(popular.bits), 0)::DOUBLE AS popular_bits, coalesce(sum(later.items), 0)::DOUBLE AS next,
    coalesce(sum(in_list), 0)::DOUBLE AS in_list, coalesce(sum(in_popular), 0)::DOUBLE AS in_popular
  FROM answer LEFT JOIN clicks USING (id) LEFT JOIN surprising USING (id) LEFT JOIN later USING (id)
    LEFT JOIN popular ON popular.place = least(len(ids), (SELECT count(*) FROM popularity))
  GROUP BY answer.place, identity, coalesce(identity, answer.id) ORDER BY answer.place, coalesce(identity, answer.id)`;

const COVERAGE = `
  WITH listed AS (SELECT place, unnest(ids) AS item FROM answer),
  known AS (SELECT item FROM listed UNION SELECT item FROM event)
  SELECT place, count(DISTINCT item) / (SELECT count(*) FROM known)::DOUBLE AS share FROM listed GROUP BY place`;

const EXPERIMENT = `
  SELECT identity, variant, count(*)::DOUBLE AS searches, count(first)::DOUBLE AS clicked,
    coalesce(sum(1.0 / first), 0)::DOUBLE AS reciprocal, count_if(len(ids) = 0)::DOUBLE AS empty,
    coalesce(sum(milliseconds), 0)::DOUBLE AS milliseconds, bool_and(is_followable) AS followable, count(*) OVER (PARTITION BY identity) AS turns
  FROM answer LEFT JOIN (SELECT id, min(rank) AS first FROM followed GROUP BY id) USING (id)
  WHERE experiment = $name GROUP BY identity, variant ORDER BY identity, variant`;

function placeReport(
  place: string,
  users: readonly Sums[],
  coverage: number | null,
  hasConversions: boolean,
): PlaceReport {
  const share = (sum: keyof Sums, count: keyof Sums, of = shareInterval) =>
    estimate(
      users.map((user) => ({ sum: Number(user[sum]), count: Number(user[count]) })),
      of,
    );
  const named = users.filter(({ is_named }) => is_named);
  return {
    place,
    answers: users.reduce((sum, { answers }) => sum + answers, 0),
    users: named.length,
    anonymous: users.filter(({ is_named }) => !is_named).reduce((sum, { answers }) => sum + answers, 0),
    followable: users.reduce((sum, { followable }) => sum + followable, 0),
    click_through: share("clicked", "followable"),
    conversion: hasConversions ? share("converted", "followable") : null,
    fallback: share("fallback", "answers"),
    degraded: share("degraded", "answers"),
    coverage,
    novelty: share("bits", "items", positiveInterval),
    popular_novelty: share("popular_bits", "items", positiveInterval),
    next: share("in_list", "next"),
    popular_next: share("in_popular", "next"),
    lift: estimate(
      users.map((user) => ({ sum: user.in_list - user.in_popular, count: user.next })),
      signedInterval,
    ),
  };
}

/** Returns a ratio with its 95 % interval; null if it counts nothing. */
function estimate(parts: readonly Part[], of: (ratio: Ratio, alpha: number) => Estimate): Estimate | null {
  const counted = ratioOf(parts.filter(({ count }) => count > 0));
  return Number.isFinite(counted.value) ? of(counted, ALPHA) : null;
}
