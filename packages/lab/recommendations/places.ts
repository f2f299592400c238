import type { Estimate } from "@relevance/lib/platform/statistics/share.ts";
import type { ExperimentReport } from "../experiments/report.ts";

/** Metrics of a placement, as shares of its answers unless stated otherwise. Null if they cannot be measured. */
export interface PlaceReport {
  /** Name of the placement, or of the endpoint. */
  place: string;
  answers: number;
  users: number;
  /** Answers of which the log names no user. Each counts as a user of its own. */
  anonymous: number;
  /** Answers of which an event can be found that followed: by the list's id, or by a user who is not hashed. */
  followable: number;
  /** Of these, answers that an event followed from. */
  click_through: Estimate | null;
  /** Of these, answers that a conversion followed from; null if the period has no event of such a type. */
  conversion: Estimate | null;
  /** Answers with items of the fallback chain, or in place of a campaign. */
  fallback: Estimate | null;
  degraded: Estimate | null;
  /** Items that were shown, of all that were shown somewhere or had an event. */
  coverage: number | null;
  /** Mean information of the shown items in bits: one that half of the users know has 1. */
  novelty: Estimate | null;
  /** The same of lists of the most popular items, as long as those shown. */
  popular_novelty: Estimate | null;
  /** Of what users did within a day after an answer, the share that was in its list. */
  next: Estimate | null;
  /** The share that would have been in a list of the most popular items of the period, as long. */
  popular_next: Estimate | null;
  /** The difference of the two. */
  lift: Estimate | null;
}

/** The report of all places, and of the experiments of placements. */
export interface RecommendationReport {
  conversions: readonly string[];
  /** Events of these types in the period. */
  conversion_events: number;
  places: PlaceReport[];
  experiments: ExperimentReport[];
  /** Experiments that cannot be compared, because the log names users by hashes. */
  hashed: readonly string[];
}

/** Returns a report in sentences: of each place, whether its lists beat popularity, and each comparison of variants. */
export function placeLines({
  places,
  hashed,
  conversions,
  conversion_events,
}: Omit<RecommendationReport, "experiments">): string[] {
  const ofPlaces = places.flatMap(({ place, answers, anonymous, followable, users, next, popular_next, lift }) => {
    const named = [
      ...(anonymous > 0 ? [`${place}: the log names no user of ${anonymous} of ${answers} lists.`] : []),
      ...(followable < answers
        ? [
            `${place}: ${answers - followable} of ${answers} lists have neither an id nor a user whom events name, so clicks on them are not known.`,
          ]
        : []),
    ];
    if (!next || !popular_next || !lift) return named;
    const verdict =
      lift.low > 0
        ? "has more of what users did next than popular items would have"
        : lift.high < 0
          ? "has less of what users did next than popular items would have"
          : "has about as much of what users did next as popular items would have";
    const numbers = `${next.value.toFixed(4)} beside ${popular_next.value.toFixed(4)}, difference ${lift.value.toFixed(4)} (95 % interval ${lift.low.toFixed(4)} to ${lift.high.toFixed(4)})`;
    const few = users < FEWEST ? `; fewer than ${FEWEST} users, so the interval is unreliable` : "";
    return [`${place} ${verdict}: ${numbers}${few}.`, ...named];
  });
  const ofExperiments = hashed.map(
    (experiment) =>
      `Experiment ${experiment}: the log names users by hashes, so what followed from lists without an id is not known. Variants can be compared with \`logging.user_id: plain\`.`,
  );
  const unconverted =
    conversion_events === 0
      ? [`No event of the period has the type ${conversions.join(" or ")}, so conversion is not known.`]
      : [];
  return [...ofPlaces, ...unconverted, ...ofExperiments];
}

/** Fewer users make the intervals unreliable. */
const FEWEST = 100;
