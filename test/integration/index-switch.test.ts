import * as assert from "uvu/assert";
import { createRun } from "../../lib/search/index/rebuild/create.ts";
import { cancelRun, rollBack } from "../../lib/search/index/rebuild/finish.ts";
import { createPace } from "../../lib/search/index/rebuild/pace.ts";
import { workOn } from "../../lib/search/index/rebuild/run.ts";
import { createRunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { holdAlias, holdPattern } from "../../lib/search/index-meta/index-meta.ts";
import { runIndex } from "../../lib/search/index-meta/run-names.ts";
import { noAuth } from "../../lib/search/opensearch/auth.ts";
import { createCluster } from "../../lib/search/opensearch/client.ts";
import { type ClusterAnswer, ClusterFailure, type ClusterRequest } from "../../lib/search/opensearch/cluster.ts";
import { patient } from "../../packages/processes/wait.ts";
import { type Cluster, clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("index switch");

/** Rebuilds an index over a cluster whose first alias switch fails as given. */
async function rebuilt(cluster: Cluster, fail: (send: () => Promise<ClusterAnswer>) => Promise<ClusterAnswer>) {
  const alias = uniqueIndex("switched");
  const old = `${alias}-first`;
  await request(cluster, "PUT", `/${old}`, {
    aliases: { [alias]: {} },
    mappings: { properties: { n: { type: "long" } } },
  });
  const lines = Array.from({ length: 300 }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n}}\n`);
  await request(cluster, "POST", `/${alias}/_bulk`, lines.join(""));
  await request(cluster, "DELETE", `/${alias}/_doc/7`);
  const native = createCluster({ node: cluster.url, auth: noAuth });
  const isSwitch = ({ path, body }: ClusterRequest) =>
    path === "/_aliases" && String(body).includes(`"index":"${old}"`);
  let switches = 0;
  const send: typeof native.send = (call, timeoutMs) => {
    if (!isSwitch(call)) return native.send(call, timeoutMs);
    switches += 1;
    return switches === 1 ? fail(() => native.send(call, timeoutMs)) : native.send(call, timeoutMs);
  };
  const calls = createRunCalls({ cluster: { send }, pace: createPace(4), wait: async () => {} });
  const { id, target } = await createRun(calls, {
    name: alias,
    bodyOf: () => ({ mappings: { properties: { n: { type: "integer" } } } }),
    embed: false,
    embeddingFields: [],
    replaceIndex: false,
    now: new Date(),
    width: 100,
  });
  const record = await workOn({ calls, id, thenSwitch: true, holdMs: patient(15_000), most: 4 });
  const { body } = await request<{ count: number }>(cluster, "GET", `/${alias}/_count`);
  const behind = await request<object>(cluster, "GET", `/_alias/${alias}`);
  return {
    old,
    target,
    run: runIndex(id),
    phase: record.phase,
    switches,
    count: body.count,
    behind: Object.keys(behind.body),
    write: (await request(cluster, "PUT", `/${alias}/_doc/new`, { n: 1 })).status,
    holds: (await request<object>(cluster, "GET", `/_alias/${holdPattern(old)}`)).body,
  };
}

/** An alias of an index with documents, and rebuilds of it. */
async function rebuilds(cluster: Cluster) {
  const alias = uniqueIndex("switched");
  const old = `${alias}-first`;
  await request(cluster, "PUT", `/${old}`, { aliases: { [alias]: {} } });
  await request(cluster, "PUT", `/${alias}/_doc/1?refresh=true`, { n: 1 });
  const native = createCluster({ node: cluster.url, auth: noAuth });
  const calls = createRunCalls({ cluster: native, pace: createPace(4), wait: async () => {} });
  const begin = () =>
    createRun(calls, {
      ...{ name: alias, bodyOf: () => ({}), embed: false, embeddingFields: [], replaceIndex: false, now: new Date() },
    });
  const work = (id: string, thenSwitch = true) =>
    workOn({ calls, id, thenSwitch, holdMs: patient(15_000), most: 4 }).then(
      ({ phase }) => phase as string,
      ({ message }) => message as string,
    );
  const behind = async () => Object.keys((await request<object>(cluster, "GET", `/${alias}/_alias`)).body);
  const writeTo = async (index: string) => (await request(cluster, "PUT", `/${index}/_doc/new`, { n: 2 })).status;
  return { alias, old, calls, begin, work, behind, writeTo };
}

/**
 * Rebuilds an index beside writers that never pause: before each call of the run, which takes 100 ms by the run's clock,
 * they write four documents unless writes are blocked. Returns the outcome, and the number of write blocks.
 */
async function besideWriters(cluster: Cluster, holdMs: number) {
  const alias = uniqueIndex("busy");
  await request(cluster, "PUT", `/${alias}-first`, { aliases: { [alias]: {} } });
  const native = createCluster({ node: cluster.url, auth: noAuth });
  let clock = 0;
  let written = 0;
  let blocks = 0;
  const send: typeof native.send = async (call, timeoutMs) => {
    clock += 100;
    const lines = Array.from({ length: 4 }, () => `{"index":{"_id":"${written++ % 400}"}}\n{"n":${written}}\n`);
    if (!call.path.startsWith(`/${alias}-first/_bulk`))
      await request(cluster, "POST", `/${alias}/_bulk`, lines.join(""));
    blocks += call.path.endsWith("/_block/write") ? 1 : 0;
    return native.send(call, timeoutMs);
  };
  const wait = async (ms: number) => {
    clock += ms;
  };
  const calls = createRunCalls({ cluster: { send }, pace: createPace(4), wait });
  const create = { name: alias, bodyOf: () => ({}), embed: false, embeddingFields: [], replaceIndex: false, width: 20 };
  const { id } = await createRun(calls, { ...create, now: new Date() });
  const options = { calls, id, thenSwitch: true, holdMs, most: 4, now: () => clock };
  const outcome = await workOn(options).then(
    ({ phase }) => phase as string,
    ({ message }) => message as string,
  );
  return { outcome, blocks };
}

for (const cluster of await clusters()) {
  const { version } = cluster;

  test(`${version}: a rebuild beside writers that never pause copies the rest in several write blocks, or says that it cannot`, async () => {
    const { outcome, blocks } = await besideWriters(cluster, 10_000);
    assert.is(outcome, "switched");
    assert.ok(blocks > 1, `${blocks} blocks`);
    const hopeless = await besideWriters(cluster, 1_000);
    assert.match(
      hopeless.outcome,
      /^Tried 5 times to switch: .*: writes come faster than they are copied\. Write less/,
    );
  });

  test(`${version}: of two rebuilds of one alias one switches, and the other is refused with the reason`, async () => {
    const { alias, old, calls, begin, work, behind, writeTo } = await rebuilds(cluster);
    const runs = [await begin(), await begin()];
    const ends = await Promise.all(runs.map(({ id }) => work(id)));
    const switched = runs.filter((_, at) => ends[at] === "switched");
    const [late] = runs.filter((_, at) => ends[at] !== "switched");
    assert.is(switched.length, 1, ends.join("; "));
    assert.equal(await behind(), [switched[0]?.target]);
    const again = await work(late?.id ?? "");
    assert.match(again, `${alias} stands for ${switched[0]?.target}, and no longer for ${old} alone`);
    assert.is(await writeTo(old), 403, "the old index rejects writes");
    await cancelRun(calls, late?.id ?? "", false);
    assert.is(await writeTo(old), 403, "the old index rejects writes after the other run is cancelled");
    assert.equal([await behind(), await writeTo(alias)], [[switched[0]?.target], 201]);
  });

  test(`${version}: a run that waits for its switch is refused after another one has switched`, async () => {
    const { begin, work, behind } = await rebuilds(cluster);
    const [waiting, other] = [await begin(), await begin()];
    assert.equal([await work(waiting.id, false), await work(other.id)], ["ready", "switched"]);
    assert.match(await work(waiting.id), `stands for ${other.target}, and no longer for`);
    assert.equal(await behind(), [other.target]);
  });

  test(`${version}: a run is refused while another one holds writes, and leaves its block`, async () => {
    const { old, begin, work, behind, writeTo } = await rebuilds(cluster);
    const [mine, other] = [await begin(), await begin()];
    await request(cluster, "PUT", `/${other.target}/_alias/${holdAlias(old, Date.now() + 60_000)}`);
    await request(cluster, "PUT", `/${old}/_block/write`);
    assert.match(await work(mine.id), `the run of ${other.target} holds writes`);
    assert.equal([await behind(), await writeTo(old)], [[old], 403]);
    const holds = await request<object>(cluster, "GET", `/_alias/${holdPattern(old)}`);
    assert.equal(Object.keys(holds.body), [other.target]);
  });

  test(`${version}: a switch is not taken back if another run has switched since`, async () => {
    const { begin, work, behind, calls } = await rebuilds(cluster);
    const first = await begin();
    assert.is(await work(first.id), "switched");
    const second = await begin();
    assert.is(await work(second.id), "switched");
    const refused = await rollBack(calls, first.id).catch(({ message }) => message);
    assert.match(refused, `stands for ${second.target}, and no longer for ${first.target} alone`);
    assert.equal(await behind(), [second.target]);
    await rollBack(calls, second.id);
    assert.equal(await behind(), [first.target]);
  });

  test(`${version}: a switch that the cluster did not execute is retried, and writes continue`, async () => {
    const done = await rebuilt(cluster, async () => ({
      status: 503,
      headers: {},
      body: Buffer.from('{"error":{"type":"process_cluster_event_timeout_exception"},"status":503}'),
    }));
    assert.equal([done.phase, done.switches, done.count, done.write], ["switched", 2, 299, 201]);
    assert.equal([done.behind, done.holds], [[done.target], {}]);
  });

  test(`${version}: a switch whose answer is lost is detected from the aliases, and not repeated`, async () => {
    const done = await rebuilt(cluster, async (send) => {
      await send();
      throw new ClusterFailure("lost", true, "the test lost this answer");
    });
    assert.equal([done.phase, done.switches, done.count, done.write], ["switched", 1, 299, 201]);
    assert.equal([done.behind, done.holds], [[done.target], {}]);
    const path = `/${[done.old, done.target, done.run].join()}/_stats/fielddata?expand_wildcards=all`;
    const { body } = await request<{
      _all: { total: { fielddata: { memory_size_in_bytes: number; evictions: number } } };
    }>(cluster, "GET", path);
    const { memory_size_in_bytes, evictions } = body._all.total.fielddata;
    assert.equal([memory_size_in_bytes, evictions], [0, 0], "nothing was loaded on the heap");
  });
}

test.run();
