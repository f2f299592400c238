import { type Played, playPlacements } from "../test/fixtures/placement-requests.ts";
import { type Benchmark, load, type Row } from "./result.ts";

/** Requests of one seed, whose shop changes every hundred requests. For a short run: `PLACEMENT_SEEDS=1 make bench ARGS=placements`. */
const REQUESTS = 10_000;
const SEEDS = Number(process.env.PLACEMENT_SEEDS ?? 10);

/**
 * Sends random requests to random placements, each upstream taken away in turn, and checks every list against what its
 * placement says. Fails with the request of the first list that is not as it should be.
 */
export const placementsBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const start = performance.now();
    const all: Played[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) all.push(await playPlacements(REQUESTS, seed));
    const sum = (what: keyof Played) => all.reduce((total, played) => total + played[what], 0).toLocaleString("en");
    const seconds = Math.round((performance.now() - start) / 1_000);
    return [
      {
        what: `${(SEEDS * REQUESTS).toLocaleString("en")} random requests to placements: lists that are not as their placement says`,
        budget: "0",
        reached: "0",
        kept: true,
        note: `${sum("lists")} lists of ${sum("items")} items, ${sum("promoted")} promoted, ${sum("fallback")} of the fallback chain, ${sum("moved")} moved by marginal relevance; ${sum("short")} short, ${sum("degraded")} degraded, ${sum("refused")} refused; ${seconds} s, ${load()}`,
      },
    ];
  },
};
