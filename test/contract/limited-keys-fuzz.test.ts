import * as fc from "fast-check";
import * as assert from "uvu/assert";
import type { ProxyHandler } from "../../lib/platform/http/event.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { type Attempt, loadGatewayWithKeys, send } from "../fixtures/access-attempt.ts";
import { createWorld, grantsOf, type World } from "../fixtures/access-world.ts";
import { attemptsOfPage, harmfulAttempts, PAGE_TEMPLATE } from "../fixtures/limited-fuzz.ts";
import { ownClusters, request } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("limited keys: generated attempts to stop others");

/** Attempts over all versions. */
const RUNS = 1_000;
const SEED = 20_261_125;
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
        { name: "limited", endpoints: ["search", "hybrid-search", "bulk", "raw-backend"], indexes },
        { name: "page", endpoints: ["search", "hybrid-search"], indexes, templates: [PAGE_TEMPLATE.name] },
        { name: "other", endpoints: ["search"], indexes },
      ],
      { templates: [PAGE_TEMPLATE] },
    );
  });

  for (const [key, attemptsOf, share] of [
    ["limited", harmfulAttempts, 0.7],
    ["page", attemptsOfPage, 0.3],
  ] as const) {
    test(`${cluster.version}: no attempt of the key ${key} stops others, or shows what it may not see`, async () => {
      const runs = Math.floor((RUNS / found.length) * share);
      const attempts = fc.sample(attemptsOf(world, key), { numRuns: runs, seed: SEED + at });
      const [state, reads] = [await world.refusedState(), await world.refusedReads()];
      const problems: string[] = [];
      let answered = 0;
      for (const attempt of attempts) {
        const { status, text } = await beside(gateway, attempt, ordinary(world), problems);
        if (status === 200) answered += 1;
        const leak =
          world.leakIn(text) ?? nodeFileIn(text) ?? (text.includes('"code":"internal"') ? "a defect" : undefined);
        if (leak !== undefined)
          problems.push(`${status} shows ${leak}: ${JSON.stringify(attempt)} ${text.slice(0, 300)}`);
        await waitFor(async () => (await busyThreads(cluster)) === 0, {
          what: `free threads after ${JSON.stringify(attempt).slice(0, 2_000)}`,
          timeoutMs: 5_000,
          intervalMs: 20,
        });
        assert.equal(problems, []);
      }
      assert.equal(await world.refusedReads(), reads);
      assert.equal(await world.refusedState(), state);
      await world.repair();
      // Attempts that all fail would prove nothing.
      assert.ok(answered > runs / 20, `only ${answered} of ${runs} were answered by the cluster`);
    });
  }
}

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
