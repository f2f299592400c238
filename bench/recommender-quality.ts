import type { Interval } from "../lib/platform/statistics/bootstrap.ts";
import { type Contest, contest, ENGINES, type Settings } from "../test/fixtures/recommenders.ts";
import { type Benchmark, type Row, wantedKinds } from "./result.ts";

const USERS = 2_000;
const EVENTS_PER_USER = 20;

/** How many items each data set has: the events of its users are denser with fewer of them. */
const CATALOGUES = { "1,000 items": 1_000, "4,000 items": 4_000 } as const;

/** The settings to choose from; those of ALS are factors, regularization, alpha. */
const GRIDS = {
  als: [4, 8, 16, 32].flatMap((factors) =>
    [0.1, 1, 10, 100].flatMap((regularization) =>
      [1, 10, 40].map((alpha): Settings => [factors, regularization, alpha]),
    ),
  ),
  ease: [10, 100, 1_000, 10_000],
};

/** Measures the lists of both engines beside popularity, item-kNN, a library's matrix factorization, and EASE. */
export const recommenderQualityBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const rows: Row[] = [];
    for (const kind of wantedKinds(Object.keys(CATALOGUES) as (keyof typeof CATALOGUES)[])) {
      const options = { seed: 1, users: USERS, items: CATALOGUES[kind], eventsPerUser: EVENTS_PER_USER };
      rows.push(rowOf(kind, await contest(options, GRIDS)));
    }
    return rows;
  },
};

function rowOf(kind: string, { users, quality, builtInOver, settings, penalty, version }: Contest): Row {
  const lists = ENGINES.map((engine) => `${engine} ${withInterval(quality[engine])}`);
  const others = ENGINES.flatMap((engine) => {
    const difference = builtInOver[engine];
    return difference ? [`${engine} ${withInterval(difference)}`] : [];
  });
  const beaten = [builtInOver.popularity, builtInOver["item-kNN"]];
  return {
    kind,
    what: `NDCG@25 of lists for ${users.toLocaleString("en")} users with hidden tastes, ${kind}`,
    budget: "built-in engine above popularity and item-kNN",
    reached: lists.join(", "),
    kept: beaten.every((difference) => (difference?.low ?? 0) > 0),
    note:
      `95 % intervals (bootstrap over users, seed 1). The built-in engine's difference from each, all at once: ${others.join(", ")}. ` +
      "The newest tenth of each user's events is hidden; all learn from the other events of all users, and recommend unseen items. " +
      `item-kNN and ALS are those of implicit ${version}; ALS with the best of ${GRIDS.als.length} settings on held-out events: ` +
      `${settings[0]} factors, regularization ${settings[1]}, alpha ${settings[2]}; EASE with the best of ${GRIDS.ease.length} penalties: ${penalty}`,
  };
}

const withInterval = ({ mean, low, high }: Interval): string => `${short(mean)} (${short(low)} to ${short(high)})`;
const short = (value: number): string => value.toFixed(4).replace(/^(-?)0\./, "$1.");
