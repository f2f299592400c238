import * as assert from "uvu/assert";
import { loadFamily } from "../../functions/recommendation-api/families.ts";
import { routes } from "../../functions/recommendation-api/routes.ts";
import { createAccess, ENDPOINTS, type KeyRules } from "../../lib/platform/http/access.ts";
import type { ProxyHandler } from "../../lib/platform/http/event.ts";
import { createRouter } from "../../lib/platform/http/router.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";
import { DOCUMENTS, FIELD_QUERIES } from "../../lib/search/access/scripts.ts";
import { runnerAttempts, runsAttempts } from "../fixtures/access-administration.ts";
import { administratorAttempts, unlimitedAttempts } from "../fixtures/access-administrator.ts";
import { loadGatewayWithKeys, send } from "../fixtures/access-attempt.ts";
import { boundedAttempts, otherAttempts, recommendationAttempts, searchAttempts } from "../fixtures/access-bounded.ts";
import { overLimits } from "../fixtures/access-limits.ts";
import { type Row, raw } from "../fixtures/access-row.ts";
import {
  NOT_RECOMMENDED,
  namedAlike,
  OTHER_CONTEXTS,
  post,
  type ScriptedSearch,
  scriptedCalls,
  scriptedSearches,
} from "../fixtures/access-scripts.ts";
import { shownAttempts } from "../fixtures/access-shown.ts";
import { createWorld, grantsOf, type World } from "../fixtures/access-world.ts";
import { ownClusters, request } from "../fixtures/opensearch.ts";
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

const hybrid = (query: object) => ({ query: { hybrid: { queries: [query] } } });

const ALIKE = {
  properties: Object.fromEntries(
    ["script", "source", "derived", "template", "collate", "script_fields", "map_script", "if"].map((name) => [
      name,
      { type: "keyword" },
    ]),
  ),
};

function ruleOf(text: string): string | undefined {
  return text === "" ? undefined : JSON.parse(text).error.cause?.rule;
}

/** Administration has a table of its own. */
const everything = ENDPOINTS.filter((endpoint) => endpoint !== "administration");

const WIDE = { aggregation_size: 20_000, aggregation_depth: 8, clauses: 2_000, searches: 200, shards: 12 };

for (const cluster of await ownClusters()) {
  let world: World;
  let gateway: ProxyHandler;
  test.before(async () => {
    world = await createWorld(cluster);
    const indexes = grantsOf(world);
    const keys: KeyRules[] = [
      { name: "admin", endpoints: everything },
      { name: "unlimited", endpoints: everything, raw_backend: "all" },
      { name: "bounded", endpoints: everything, indexes },
      { name: "search", endpoints: ["search", "hybrid-search"], indexes },
      { name: "index", endpoints: ["bulk"], indexes },
      { name: "unlimited", endpoints: everything, raw_backend: "all" },
      { name: "scriptless", endpoints: everything, raw_backend: "all", scripts: false },
      { name: "listed", endpoints: everything, raw_backend: ["* /*"] },
      { name: "wide", endpoints: everything, scripts: true, limits: WIDE },
      { name: "runs", endpoints: ["administration", "bulk"] },
      { name: "runner", endpoints: ["administration", "bulk"], indexes },
    ];
    gateway = await loadGatewayWithKeys(cluster, keys);
  });

  for (const [who, attempts] of [
    ["an administrator's key", administratorAttempts],
    ["a key without limits", unlimitedAttempts],
    ["a key with patterns", boundedAttempts],
    ["a search key", searchAttempts],
    ["an indexing key, and callers without rules", otherAttempts],
    ["every kind of key", shownAttempts],
    ["a key for administration", runsAttempts],
    ["a key for administration with patterns", runnerAttempts],
  ] as const) {
    test(`${cluster.version}: the gateway answers ${who} as the table says, and never changes or reads refused indexes`, async () => {
      const onlyDots = [administratorAttempts, unlimitedAttempts, runsAttempts].includes(attempts);
      const [state, reads] = [await world.refusedState(), await world.refusedReads(onlyDots)];
      assert.equal(await differences(gateway, attempts(world), (answer) => world.leakIn(answer, onlyDots)), []);
      assert.equal(await world.refusedReads(onlyDots), reads);
      assert.equal(await world.refusedState(), state);
      await world.repair();
    });
  }

  test(`${cluster.version}: every script that the cluster runs is refused to keys without the right to scripts`, async () => {
    const { first } = world.names;
    const stored = `${world.prefix}-script`;
    const put = await request(cluster, "PUT", `/_scripts/${stored}`, { script: { lang: "painless", source: "true" } });
    assert.is(put.status, 200);
    const calls = scriptedCalls(world);
    const searches = scriptedSearches(stored);
    const application = ([, search]: ScriptedSearch) => [
      ["/application/search", { index: first, search_request: search }] as const,
      [`/raw-backend/${first}/_search`, search] as const,
    ];
    const queries = {
      index: first,
      search_query: "x",
      search_request_template: hybrid({ script: { script: "true" } }),
    };
    const rows: Row[] = [
      ...["hybrid-search", "hybrid-search/candidates"].flatMap((path): Row[] => [
        ["ok", post("unlimited", `/application/${path}`, queries)],
        ["script", post("admin", `/application/${path}`, queries)],
      ]),
      ...searches.flatMap(application).flatMap(([path, body]): Row[] => [
        ["ok", post("unlimited", path, body)],
        ["script", post("admin", path, body)],
      ]),
      ...calls.flatMap(([context, method, path, body]): Row[] => {
        const other = NOT_RECOMMENDED.has(context) ? "endpoint" : "script";
        return [
          raw("unlimited")("ok", method, path, body),
          raw("scriptless")("script", method, path, body),
          raw("listed")("script", method, path, body),
          raw("admin")(other, method, path, body),
        ];
      }),
    ];
    assert.equal(await differences(gateway, rows, () => undefined), []);
    const { body } = await request<{ contexts: Array<{ name: string }> }>(cluster, "GET", "/_script_context");
    const covered = new Set([...searches, ...calls].map(([context]) => context));
    const missing = body.contexts.filter(({ name }) => !covered.has(name) && !OTHER_CONTEXTS.has(name));
    assert.equal(missing, []);
  });

  test(`${cluster.version}: fields, filters and aggregations may have the names of scripts`, async () => {
    const index = `${world.prefix}-alike`;
    await request(cluster, "PUT", `/${index}`, { settings: { number_of_replicas: 0 }, mappings: ALIKE });
    assert.equal(await differences(gateway, namedAlike(index, "admin"), () => undefined), []);
    // A field query lets a text pass under "script". The cluster takes it for a script in no object of such a name.
    const holes = [...FIELD_QUERIES, ...DOCUMENTS, "sort", "order"].flatMap((name) => [
      { aggs: { a: { filters: { filters: { [name]: { script: "true" } } } } } },
      { aggs: { [name]: { script: "true" } } },
      { aggs: { a: { composite: { sources: [{ [name]: { script: "true" } }] } } } },
      { suggest: { [name]: { script: "true" } } },
    ]);
    for (const hole of holes) {
      const answer = await request(cluster, "POST", `/${index}/_search`, hole);
      assert.is(answer.status, 400, JSON.stringify(hole));
    }
  });

  test(`${cluster.version}: numbers over a key's limits are refused, and those at the limit are not`, async () => {
    assert.equal(await differences(gateway, overLimits(world), () => undefined), []);
  });

  test(`${cluster.version}: a slow search ends before its call does, with what it found`, async () => {
    const index = `${world.prefix}-slow`;
    // The cluster looks at the time between segments.
    const settings = { number_of_replicas: 0, "index.merge.policy.segments_per_tier": 100 };
    await request(cluster, "PUT", `/${index}`, { settings });
    for (let id = 0; id < 60; id += 1) await request(cluster, "PUT", `/${index}/_doc/${id}?refresh=true`, {});
    const source =
      "long f() { long x = 0; for (int i = 0; i < 900000; i++) { x += i } return x } " +
      "for (int i = 0; i < params.rounds; i++) { f() } return true";
    const slow = (rounds: number) => ({ script: { script: { source, params: { rounds } } } });
    const tookOne = async (rounds: number) => {
      const query = { bool: { filter: [{ ids: { values: ["0"] } }, slow(rounds)] } };
      const { body } = await request<{ took: number }>(cluster, "POST", `/${index}/_search`, { query });
      return body.took;
    };
    // One document takes a sixth of a second, however well Java has compiled the script: sixty take longer than the call.
    let rounds = 30;
    for (let steady = 0; steady < 4; steady += 1) {
      if ((await tookOne(rounds)) >= 160) continue;
      rounds *= 2;
      steady = -1;
    }
    const body = { index, search_request: { query: slow(rounds) } };
    const { status, text } = await send(gateway, post("unlimited", "/application/search", body), 3_800);
    assert.is(status, 200, text);
    assert.equal(
      JSON.parse(text).degraded.map(({ stage }: { stage: string }) => stage),
      ["timed_out"],
    );
    const { body: tasks } = await request<{ nodes: object }>(
      cluster,
      "GET",
      "/_tasks?actions=indices:data/read/search*",
    );
    assert.equal(tasks.nodes, {});
  });

  test(`${cluster.version}: a limited key may watch, throttle and cancel its own tasks, and no others`, async () => {
    await checkOwnTasks(gateway, world, { owner: "bounded", other: "admin" });
    await world.repair();
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
