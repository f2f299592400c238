import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { ENDPOINTS } from "../../lib/platform/http/access.ts";
import type { ProxyHandler } from "../../lib/platform/http/event.ts";
import { concurrently } from "../../lib/platform/resilience/concurrently.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { type Attempt, loadGatewayWithKeys, send } from "../fixtures/access-attempt.ts";
import { attemptsOf } from "../fixtures/access-fuzz.ts";
import { createWorld, grantsOf, type World } from "../fixtures/access-world.ts";
import { attemptsOfPage, harmfulAttempts, PAGE_TEMPLATE } from "../fixtures/limited-fuzz.ts";
import { ownClusters, request } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("access: generated attempts");

/** Attempts over all versions to reach other indexes; more with `ACCESS_ATTEMPTS=20000`. */
const REACHING = Number(process.env.ACCESS_ATTEMPTS ?? 6_000);
/** Attempts to stop others. After each, the cluster must have no search left. */
const STOPPING = REACHING / 20;
/** The granted indexes are created again after this many attempts, because attempts may delete them. */
const ROUND = 1_000;
const SEED = 20_261_122;
/** The pools whose threads searches, analysis and writes occupy. */
const POOLS = "search,index_searcher,analyze,write,get";

const found = await ownClusters();

for (const [at, cluster] of found.entries()) {
  let world: World;
  let gateway: ProxyHandler;
  test.before(async () => {
    world = await createWorld(cluster);
    const indexes = grantsOf(world);
    gateway = await loadGatewayWithKeys(
      cluster,
      [
        { name: "bounded", endpoints: [...ENDPOINTS], indexes },
        { name: "admin", endpoints: [...ENDPOINTS] },
        { name: "limited", endpoints: ["search", "hybrid-search", "bulk", "raw-backend"], indexes },
        { name: "page", endpoints: ["search", "hybrid-search"], indexes, templates: [PAGE_TEMPLATE.name] },
        { name: "other", endpoints: ["search"], indexes },
      ],
      { templates: [PAGE_TEMPLATE] },
    );
  });

  /** Sends the attempts of a key by `play`, and demands that none shows, reads or changes what the key may not see. */
  async function playAll(attempts: readonly Attempt[], play: Play, { onlyDots = false, answered = 20 } = {}) {
    const [state, reads] = [await world.refusedState(onlyDots), await world.refusedReads(onlyDots)];
    const problems: string[] = [];
    let served = 0;
    for (let start = 0; start < attempts.length; start += ROUND) {
      await play(attempts.slice(start, start + ROUND), problems, (attempt, { status, text }) => {
        if (status === 200) served += 1;
        const leak =
          world.leakIn(text, onlyDots) ??
          nodeFileIn(text) ??
          (text.includes('"code":"internal"') ? "a defect" : undefined);
        if (leak === undefined) return;
        problems.push(`${status} shows ${leak}: ${JSON.stringify(attempt)} ${text.slice(0, 300)}`);
      });
      assert.equal(problems, []);
      const among = `by one of the attempts ${start} to ${start + ROUND}`;
      assert.equal(await world.refusedReads(onlyDots), reads, `read ${among}`);
      assert.equal(await world.refusedState(onlyDots), state, `changed ${among}`);
      await world.repair();
    }
    // Attempts that all fail would prove nothing.
    assert.ok(served > attempts.length / answered, `only ${served} of ${attempts.length} were answered by the cluster`);
  }

  for (const [key, what, share] of [
    ["bounded", "a key with patterns shows, reads or changes an index outside them", 0.75],
    ["admin", "any key shows, reads or changes an index whose name starts with a dot", 0.25],
  ] as const) {
    test(`${cluster.version}: no attempt of ${what}`, async () => {
      const numRuns = Math.floor((REACHING / found.length) * share);
      const attempts = fc.sample(attemptsOf(world, key), { numRuns, seed: SEED + at });
      const play: Play = (round, _problems, judge) =>
        concurrently(round, 16, async (attempt) => judge(attempt, await send(gateway, attempt))).then(() => undefined);
      // An administrator may use all other indexes.
      await playAll(attempts, play, { onlyDots: key === "admin", answered: 50 });
    });
  }

  for (const [key, harmful, share] of [
    ["limited", harmfulAttempts, 0.7],
    ["page", attemptsOfPage, 0.3],
  ] as const) {
    test(`${cluster.version}: no attempt of the key ${key} stops others, or shows what it may not see`, async () => {
      const numRuns = Math.floor((STOPPING / found.length) * share);
      const attempts = fc.sample(harmful(world, key), { numRuns, seed: SEED + at });
      await playAll(attempts, async (round, problems, judge) => {
        for (const attempt of round) {
          judge(attempt, await beside(gateway, attempt, ordinary(world), problems));
          await waitFor(async () => (await busyThreads(cluster)) === 0, {
            what: `free threads after ${JSON.stringify(attempt).slice(0, 2_000)}`,
            timeoutMs: 5_000,
            intervalMs: 20,
          });
          assert.equal(problems, []);
        }
      });
    });
  }
}

type Answer = Awaited<ReturnType<typeof send>>;
/** Sends a round of attempts, and passes each answer on. */
type Play = (
  round: readonly Attempt[],
  problems: string[],
  judge: (attempt: Attempt, answer: Answer) => void,
) => Promise<void>;

const ordinary = ({ names }: World): Attempt => ({
  key: "other",
  method: "POST",
  path: "/application/search",
  body: JSON.stringify({ index: names.one, search_request: { query: { match: { text: "public" } } } }),
});

/** Sends an attempt, and searches of another key during and after it, whose failures it adds to the problems. */
async function beside(gateway: ProxyHandler, attempt: Attempt, other: Attempt, problems: string[]) {
  const search = async () => {
    const { status, text } = await send(gateway, other);
    if (status !== 200) problems.push(`another key got ${status} beside ${JSON.stringify(attempt)}: ${text}`);
  };
  const [answer] = await Promise.all([send(gateway, attempt), search()]);
  await search();
  return answer;
}

/** Returns what an answer shows of a file on a node: a line of one of those that attempts name. */
const nodeFileIn = (text: string): string | undefined =>
  /root:x:|-Xm[sx]\d|network\.host|status = error|discovery\.type/.exec(text)?.[0];

async function busyThreads(cluster: { url: string }): Promise<number> {
  const path = `/_cat/thread_pool/${POOLS}?h=active,queue&format=json`;
  const { body } = await request<Array<{ active: string; queue: string }>>(cluster, "GET", path);
  return body.reduce((sum, { active, queue }) => sum + Number(active) + Number(queue), 0);
}

test.run();
