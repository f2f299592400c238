import * as assert from "uvu/assert";
import { createRun } from "../../lib/search/index/rebuild/create.ts";
import { createPace } from "../../lib/search/index/rebuild/pace.ts";
import { workOn } from "../../lib/search/index/rebuild/run.ts";
import { createRunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { holdPattern } from "../../lib/search/index-meta/index-meta.ts";
import { runIndex } from "../../lib/search/index-meta/run-names.ts";
import { noAuth } from "../../lib/search/opensearch/auth.ts";
import { createCluster } from "../../lib/search/opensearch/client.ts";
import { type ClusterAnswer, ClusterFailure, type ClusterRequest } from "../../lib/search/opensearch/cluster.ts";
import { patient } from "../../local/process/wait.ts";
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

for (const cluster of await clusters()) {
  const { version } = cluster;

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
