import { playPlacements } from "../test/fixtures/placement-requests.ts";

/** Requests in all, and those of one seed, whose shop changes every hundred requests. */
const REQUESTS = 100_000;
const PER_SEED = 10_000;

/**
 * Sends random requests to random placements, each upstream taken away in turn, and checks every list against what its
 * placement says. Fails with the request of the first list that is not as it should be. `node bench/placements.ts [requests]`
 */
const requests = Number(process.argv[2] ?? REQUESTS);
const start = performance.now();
const total: Record<string, number> = {};
for (let seed = 0; seed * PER_SEED < requests; seed += 1) {
  const played = await playPlacements(Math.min(PER_SEED, requests - seed * PER_SEED), seed + 1);
  for (const [what, count] of Object.entries(played)) total[what] = (total[what] ?? 0) + count;
}
console.log(`${requests} requests in ${Math.round((performance.now() - start) / 1_000)} s: ${JSON.stringify(total)}`);
