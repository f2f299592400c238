import { basename } from "node:path";
import { newestTenth } from "../lib/recommendation/built-in/measure.ts";
import { demoData } from "../packages/demo-data/readers.ts";
import { demoHistories, type Histories, type LeftOut, leaveOut } from "../test/fixtures/left-out.ts";
import { readRatings } from "./ratings.ts";
import type { Benchmark, Row } from "./result.ts";

/** A folder as ratings.ts reads it: `make bench ARGS=left-out COLLECTION=…`. */
const { COLLECTION } = process.env;

/** Compares the quality that a training reports of the built-in engine with a test through the API. */
export const leftOutBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const demo = COLLECTION === undefined ? [rowsOf("the demo's data", demoHistories(demoData()))] : [];
    const collection = COLLECTION === undefined ? [] : [rowsOf(basename(COLLECTION), readRatings(COLLECTION))];
    return Promise.all([...demo, ...collection]);
  },
};

async function rowsOf(kind: string, histories: Histories): Promise<Row> {
  const newest = await leaveOut(histories, newestTenth);
  const last = await leaveOut(histories, () => 1);
  const { built_in, popularity, users } = newest.reported;
  return {
    kind,
    what: `NDCG@25 of the built-in engine as a training reports it, and of what the API answers to the same users, ${kind}`,
    budget: "the answers' within the reported interval",
    reached: `${shown(built_in)} reported, ${shown(newest.answered)} answered`,
    kept: built_in.low <= newest.answered.mean && newest.answered.mean <= built_in.high,
    note:
      `95 % intervals; ${users} test users, whose newest tenth of items is hidden. The report learns from all other users, the API from ` +
      `all events that are not hidden. Popularity ${shown(popularity)}. With the last item alone hidden, the API reaches ${shown(last.answered)}. ` +
      `Share of the answered items that the user had: ${had(newest)} and ${had(last)}`,
  };
}

const shown = ({ mean, low, high }: { mean: number; low: number; high: number }): string =>
  `${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
const had = (found: LeftOut): string => `${(100 * found.had).toFixed(1)} %`;
