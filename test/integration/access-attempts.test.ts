import * as assert from "uvu/assert";
import { loadFamily } from "../../functions/recommendation-api/families.ts";
import { routes } from "../../functions/recommendation-api/routes.ts";
import { createAccess, ENDPOINTS, type KeyRules } from "../../lib/core/http/access.ts";
import type { ProxyHandler } from "../../lib/core/http/event.ts";
import { createRouter } from "../../lib/core/http/router.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";
import { runnerAttempts, runsAttempts } from "../fixtures/access-administration.ts";
import { administratorAttempts } from "../fixtures/access-administrator.ts";
import { boundedAttempts, otherAttempts, recommendationAttempts, searchAttempts } from "../fixtures/access-bounded.ts";
import type { Row } from "../fixtures/access-row.ts";
import { shownAttempts } from "../fixtures/access-shown.ts";
import { createWorld, grantsOf, loadGatewayWithKeys, send, type World } from "../fixtures/access-world.ts";
import { ownClusters } from "../fixtures/opensearch.ts";
import { checkOwnTasks } from "../fixtures/own-tasks.ts";
import { SHOP_DEFINITIONS } from "../functions/recommendation-api/definitions.ts";
import { suite } from "../suite.ts";

const test = suite("access: attempts");

/** Returns each difference from the table, as `expected ≠ got: attempt`, and what answers leak of refused indexes. */
async function differences(
  handler: ProxyHandler,
  rows: readonly Row[],
  leakIn: (answer: string) => string | undefined,
): Promise<string[]> {
  const found: string[] = [];
  for (const [expected, attempt] of rows) {
    const { status, text } = await send(handler, attempt);
    const got = status === 403 ? (ruleOf(text) ?? 403) : status < 300 ? "ok" : status;
    if (got !== expected) found.push(`${expected} ≠ ${got}: ${JSON.stringify(attempt)} ${text.slice(0, 300)}`);
    const leak = leakIn(text);
    if (leak !== undefined) found.push(`shows ${leak}: ${JSON.stringify(attempt)} ${text.slice(0, 300)}`);
  }
  return found;
}

function ruleOf(text: string): string | undefined {
  return text === "" ? undefined : JSON.parse(text).error.cause?.rule;
}

/** Administration has a table of its own. */
const everything = ENDPOINTS.filter((endpoint) => endpoint !== "administration");

for (const cluster of await ownClusters()) {
  let world: World;
  let gateway: ProxyHandler;
  test.before(async () => {
    world = await createWorld(cluster);
    const indexes = grantsOf(world);
    const keys: KeyRules[] = [
      { name: "admin", endpoints: everything },
      { name: "bounded", endpoints: everything, indexes },
      { name: "search", endpoints: ["search", "hybrid-search"], indexes },
      { name: "index", endpoints: ["bulk"], indexes },
      { name: "runs", endpoints: ["administration", "bulk"] },
      { name: "runner", endpoints: ["administration", "bulk"], indexes },
    ];
    gateway = await loadGatewayWithKeys(cluster, keys);
  });

  for (const [who, attempts] of [
    ["an administrator's key", administratorAttempts],
    ["a key with patterns", boundedAttempts],
    ["a search key", searchAttempts],
    ["an indexing key, and callers without rules", otherAttempts],
    ["every kind of key", shownAttempts],
    ["a key for administration", runsAttempts],
    ["a key for administration with patterns", runnerAttempts],
  ] as const) {
    test(`${cluster.version}: the gateway answers ${who} as the table says, and never changes or reads refused indexes`, async () => {
      const onlyDots = attempts === administratorAttempts || attempts === runsAttempts;
      const [state, reads] = [await world.refusedState(), await world.refusedReads(onlyDots)];
      assert.equal(await differences(gateway, attempts(world), (answer) => world.leakIn(answer, onlyDots)), []);
      assert.equal(await world.refusedReads(onlyDots), reads);
      assert.equal(await world.refusedState(), state);
      await world.repair();
    });
  }

  test(`${cluster.version}: a limited key may watch, throttle and cancel its own tasks, and no others`, async () => {
    await checkOwnTasks(gateway, world, { owner: "bounded", other: "admin" });
    await world.repair();
  });

  test(`${cluster.version}: the tables have at least 150 attempts`, () => {
    const tables = [
      administratorAttempts,
      boundedAttempts,
      searchAttempts,
      otherAttempts,
      shownAttempts,
      runsAttempts,
      runnerAttempts,
    ];
    assert.ok(tables.flatMap((attempts) => attempts(world)).length >= 150);
  });
}

test("the recommendation service answers each key as the table says", async () => {
  const keys: KeyRules[] = [
    { name: "admin", endpoints: everything },
    { name: "shop", endpoints: ["search", "recommend", "events"] },
    { name: "loader", endpoints: ["ingest"] },
    { name: "search", endpoints: ["search"] },
    { name: "recommender", endpoints: ["recommend"] },
    { name: "logger", endpoints: ["events"] },
  ];
  const access = createAccess({ keys }, keys.map(({ name }) => `id-${name}=${name}`).join(","));
  const api = { log: () => undefined, project: "shop", access };
  // Bodies are invalid, so no client is called.
  const services = {
    api,
    settings: { filters: [], definitions: SHOP_DEFINITIONS },
  } as unknown as RecommendationServices;
  const router = createRouter({ api, routes, load: (family) => loadFamily(family, services) });
  assert.equal(await differences(router, recommendationAttempts(), () => undefined), []);
});

test.run();
