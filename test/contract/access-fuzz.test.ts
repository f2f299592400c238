import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { ENDPOINTS } from "../../lib/platform/http/access.ts";
import type { ProxyHandler } from "../../lib/platform/http/event.ts";
import { concurrently } from "../../lib/platform/resilience/concurrently.ts";
import { loadGatewayWithKeys, send } from "../fixtures/access-attempt.ts";
import { attemptsOf } from "../fixtures/access-fuzz.ts";
import { createWorld, grantsOf, type World } from "../fixtures/access-world.ts";
import { ownClusters } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("access: generated attempts");

/** Attempts over all versions. */
const RUNS = 20_000;
/** The granted indexes are created again after this many attempts, because attempts may delete them. */
const ROUND = 1_000;
const SEED = 20_261_122;

const found = await ownClusters();

for (const [at, cluster] of found.entries()) {
  let world: World;
  let gateway: ProxyHandler;
  test.before(async () => {
    world = await createWorld(cluster);
    gateway = await loadGatewayWithKeys(cluster, [
      { name: "bounded", endpoints: [...ENDPOINTS], indexes: grantsOf(world) },
      { name: "admin", endpoints: [...ENDPOINTS] },
    ]);
  });

  for (const [key, what, share] of [
    ["bounded", "a key with patterns shows, reads or changes an index outside them", 0.75],
    ["admin", "any key shows, reads or changes an index whose name starts with a dot", 0.25],
  ] as const) {
    test(`${cluster.version}: no attempt of ${what}`, async () => {
      const runs = Math.floor((RUNS / found.length) * share);
      const attempts = fc.sample(attemptsOf(world, key), { numRuns: runs, seed: SEED + at });
      // An administrator may use all other indexes.
      const onlyDots = key === "admin";
      const [state, reads] = [await world.refusedState(onlyDots), await world.refusedReads(onlyDots)];
      const problems: string[] = [];
      let answered = 0;
      for (let start = 0; start < attempts.length; start += ROUND) {
        await concurrently(attempts.slice(start, start + ROUND), 16, async (attempt) => {
          const { status, text } = await send(gateway, attempt);
          if (status === 200) answered += 1;
          const leak = world.leakIn(text, onlyDots) ?? (text.includes('"code":"internal"') ? "a defect" : undefined);
          if (leak !== undefined) {
            problems.push(`${status} shows ${leak}: ${JSON.stringify(attempt)} ${text.slice(0, 300)}`);
          }
        });
        assert.equal(problems, []);
        const among = `by one of the attempts ${start} to ${start + ROUND}`;
        assert.equal(await world.refusedReads(onlyDots), reads, `read ${among}`);
        assert.equal(await world.refusedState(onlyDots), state, `changed ${among}`);
        await world.repair();
      }
      // Attempts that all fail would prove nothing.
      assert.ok(answered > runs / 50, `only ${answered} of ${runs} were answered by the cluster`);
    });
  }
}

test.run();
