import { basename } from "node:path";
import { meanInterval } from "../lib/platform/statistics/bootstrap.ts";
import { NEIGHBOURS } from "../lib/recommendation/built-in/co-occurrence.ts";
import { gain } from "../lib/recommendation/built-in/measure.ts";
import { trainedShop } from "../test/fixtures/left-out.ts";
import { libraryLists, personalizeLists, type Settings } from "../test/fixtures/recommenders.ts";
import { readRatings } from "./ratings.ts";
import type { Benchmark, Row } from "./result.ts";

/** The settings to choose from, on each user's last item but one: factors, regularization and alpha; penalties. */
const ALS = [8, 16, 32, 64].flatMap((factors) =>
  [1, 10].map((regularization): Settings => [factors, regularization, 1]),
);
const PENALTIES = [100, 300, 1_000];
const EASE_ITEMS = 5_000;

/** The share of the better of ALS and EASE that the built-in engine is to reach. */
const SHARE = 0.95;

/** Dollars in us-east-1: a gigabyte-second on Arm, a million write units, a TPS-hour of a v1 recipe. See docs/guides/costs.md. */
const PRICE = { second: 0.0000133334, writes: 0.625, tpsHour: 0.2 };
const MEMORY_GB = 1_769 / 1_024;

/**
 * Hides the last item of each user who has two, trains on all other events, and asks the API for each user:
 * `make bench ARGS=recommenders COLLECTION=…`, a folder as ratings.ts reads it. The others learn from the same events.
 */
export const recommendersBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const { COLLECTION } = process.env;
    if (COLLECTION === undefined) throw new Error("COLLECTION= names no folder: give that of a collection of ratings");
    return [await rowOf(COLLECTION)];
  },
};

async function rowOf(folder: string): Promise<Row> {
  const kind = basename(folder);
  const { items, events } = readRatings(folder);
  const counts = Map.groupBy(events, ({ itemId }) => itemId);
  const popular = [...counts.keys()].sort((a, b) => size(counts, b) - size(counts, a) || (a < b ? -1 : 1));
  const numbers = new Map(popular.map((itemId, number) => [itemId, number]));
  const numberOf = (itemId: string) => numbers.get(itemId) ?? -1;
  // Of events in the same second, the item that comes first is the more popular one, as in a training.
  const users = [...Map.groupBy(events, ({ userId }) => userId)]
    .map(([userId, own]) => ({
      userId,
      own: own.toSorted((a, b) => a.timestamp - b.timestamp || numberOf(b.itemId) - numberOf(a.itemId)),
    }))
    .filter(({ own }) => own.length > 1);
  const known = users.map(({ own }) => own.slice(0, -1).map(({ itemId }) => numberOf(itemId)));
  const hidden = users.map(({ own }) => own.slice(-1).map(({ itemId }) => numberOf(itemId)));

  const shop = await trainedShop({ items, events: users.flatMap(({ own }) => own.slice(0, -1)) });
  const answers: number[][] = [];
  for (const { userId } of users) answers.push((await shop.answer(userId)).map(numberOf));
  const library = await libraryLists({
    ...{ histories: known, items: popular.length, held: known.map(() => 1), grid: ALS, penalties: PENALTIES },
    ...{ neighbours: NEIGHBOURS, ease_items: EASE_ITEMS },
  });
  const personalize = await personalizeLists(known);
  const uses = new Map<number, number>();
  for (const item of known.flat()) uses.set(item, (uses.get(item) ?? 0) + 1);
  const byUse = [...uses.keys()].sort((a, b) => (uses.get(b) ?? 0) - (uses.get(a) ?? 0) || a - b);

  const quality = (lists: (user: number) => readonly number[]) =>
    meanInterval(known.map((own, user) => gain(lists(user), new Set(own), hidden[user] ?? [])));
  const { report } = shop;
  const { als, cosine, ease } = library.lists;
  const measured = {
    "built-in engine, through the API": quality((user) => answers[user] ?? []),
    "local Personalize": quality(personalize),
    popularity: quality(() => byUse),
    "item-kNN": quality((user) => cosine[user] ?? []),
    ALS: quality((user) => als[user] ?? []),
    EASE: quality((user) => ease[user] ?? []),
  };
  const seconds: Partial<Record<keyof typeof measured, number>> = {
    ...{ "built-in engine, through the API": report.seconds, ALS: library.seconds.als },
    ...{ "item-kNN": library.seconds.cosine, EASE: library.seconds.ease },
  };
  const own = measured["built-in engine, through the API"].mean;
  const better = Math.max(measured.ALS.mean, measured.EASE.mean);
  const training = report.seconds * MEMORY_GB * PRICE.second + (3 * shop.records * PRICE.writes) / 1e6;
  return {
    kind,
    what: `NDCG@25 of recommendations for ${users.length} users of ${kind}, whose last item is hidden`,
    budget: `the built-in engine ≥ ${SHARE} of the better of ALS and EASE`,
    reached: Object.entries(measured)
      .map(([engine, { mean, low, high }]) => `${engine} ${shown(mean)} (${shown(low)} to ${shown(high)})`)
      .join(", "),
    kept: own >= SHARE * better,
    note:
      `95 % intervals over users. The training chose ${report.model.factors} factors (0: common users; difference ${JSON.stringify(report.model.over)}). ` +
      `ALS of implicit ${library.version}: ${library.settings.join(", ")} (factors, regularization, alpha); EASE in numpy over the ${EASE_ITEMS} most rated: penalty ${library.penalty}. ` +
      `Seconds of processor time: ${Object.entries(seconds)
        .map(([engine, taken]) => `${engine} ${taken?.toFixed(1)}`)
        .join(", ")}. ` +
      `Memory of all: ${Math.round(process.resourceUsage().maxRSS / 1_024)} MB here, ${library.megabytes} MB in Python. ` +
      `A month of daily trainings of the built-in engine costs $${(30 * training).toFixed(2)}, a campaign of a v1 recipe $${(730 * PRICE.tpsHour).toFixed(0)}`,
  };
}

const size = (groups: ReadonlyMap<string, readonly unknown[]>, key: string) => groups.get(key)?.length ?? 0;
const shown = (value: number): string => value.toFixed(4).replace(/^0\./, ".");
