import { setTimeout as sleep } from "node:timers/promises";
import * as assert from "uvu/assert";
import { seeded } from "../../lib/platform/statistics/random.ts";
import { createRun } from "../../lib/search/index/rebuild/create.ts";
import { RunFailure } from "../../lib/search/index/rebuild/failure.ts";
import { createPace } from "../../lib/search/index/rebuild/pace.ts";
import { workOn } from "../../lib/search/index/rebuild/run.ts";
import { createRunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import type { RunRecord } from "../../lib/search/index/rebuild/run-record.ts";
import { noAuth } from "../../lib/search/opensearch/auth.ts";
import { createCluster } from "../../lib/search/opensearch/client.ts";
import type { ClusterRequest } from "../../lib/search/opensearch/cluster.ts";
import { patient, waitFor } from "../../packages/processes/wait.ts";
import { faultyCluster, untilStopped } from "../fixtures/faulty-cluster.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { contentOf, fillLiveIndex, type LiveIndex, liveMapping } from "../fixtures/live-index.ts";
import { type Cluster, clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { keep, stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("index rebuild");
const HOLD_MS = patient(15_000);

/** Creates a process that works on a run, over a cluster that fails now and then. */
function processOn(
  cluster: Cluster,
  seed: number,
  stopsAt?: (request: ClusterRequest, calls: number) => boolean,
  native = createCluster({ node: cluster.url, auth: noAuth }),
) {
  const stopped = Promise.withResolvers<void>();
  const faulty = faultyCluster(native, {
    random: seeded(seed),
    share: 0.06,
    ...(stopsAt && { stopsAt }),
    onStop: stopped.resolve,
  });
  const calls = createRunCalls({
    cluster: faulty,
    pace: createPace(4),
    // Shortens the time between holds, because no gateway is about to end one here.
    wait: (ms) => sleep(Math.min(ms, 20)),
  });
  return {
    calls,
    stopped: stopped.promise,
    resume: faulty.resume,
    work: (id: string): Promise<RunRecord> => workOn({ calls, id, thenSwitch: true, holdMs: HOLD_MS, most: 4 }),
  };
}

/** Wraps a cluster so that a shard once fails to block writes in time. Counts the requests to block writes. */
function slowToBlock(cluster: Cluster) {
  const native = createCluster({ node: cluster.url, auth: noAuth });
  let asked = 0;
  const send: typeof native.send = async (request, timeoutMs) => {
    const answer = await native.send(request, timeoutMs);
    if (!request.path.endsWith("/_block/write")) return answer;
    asked += 1;
    return asked === 1
      ? { ...answer, body: Buffer.from('{"acknowledged":false,"shards_acknowledged":false}') }
      : answer;
  };
  return { native: { send }, asked: () => asked };
}

for (const cluster of await clusters()) {
  const alias = uniqueIndex("live");
  const old = `${alias}-first`;
  let live: LiveIndex;

  test(`${cluster.version}: a rebuild during writes and searches ends despite kills, 429s and a pause until another takes over`, async () => {
    const random = seeded(15);
    const gateway = await startGateway({ node: cluster.url, functionTimeoutMs: patient(28_000) });
    await request(cluster, "PUT", `/${old}`, { ...liveMapping("keyword", 2), aliases: { [alias]: {} } });
    live = await fillLiveIndex(cluster, gateway, { alias, count: 1_200, random });
    keep(live);
    live.start();

    const first = processOn(cluster, 1, ({ path }, calls) => calls > 25 && path.endsWith("/_bulk"));
    const { id, target } = await createRun(first.calls, {
      name: alias,
      bodyOf: () => liveMapping("text", 3),
      embed: false,
      embeddingFields: [],
      replaceIndex: false,
      now: new Date(),
      width: 150,
    });
    // Kills the first process while it copies.
    await untilStopped(first.stopped, first.work(id));
    // Kills the second process just after it has blocked writes.
    let blocked = false;
    const second = processOn(cluster, 2, ({ path }) => {
      const after = blocked;
      blocked ||= path.endsWith("/_block/write");
      return after;
    });
    await untilStopped(second.stopped, second.work(id));
    // Pauses the third process before it switches, after a second try to block writes, until another takes over.
    const slow = slowToBlock(cluster);
    const third = processOn(
      cluster,
      3,
      ({ path, body }) => path === "/_aliases" && String(body).includes(`"index":"${old}"`),
      slow.native,
    );
    const paused = await untilStopped(third.stopped, third.work(id));
    assert.ok(slow.asked() > 1, "it tried again after a shard had not blocked writes");
    const refused = paused.end.then(
      () => undefined,
      (error: unknown) => error,
    );
    let switched = false;
    // Kills the fourth process after it has switched, before it can record that.
    const fourth = processOn(cluster, 4, ({ path, body }) => {
      const after = switched;
      switched ||= path === "/_aliases" && String(body).includes(`"index":"${old}"`);
      return after;
    });
    const killed = untilStopped(fourth.stopped, fourth.work(id));
    await waitFor(async () => (await request(cluster, "GET", `/_alias/relevance-target-${id}-4`)).status === 200, {
      what: "the takeover by the fourth process",
      timeoutMs: 30_000,
    });
    third.resume();
    assert.ok((await refused) instanceof RunFailure, "the paused process was refused");
    await killed;
    const record = await processOn(cluster, 5).work(id);
    await live.stop();

    assert.is(record.phase, "switched");
    const { read, written, unchanged, rejected } = record.tally;
    assert.is(read, written + unchanged + rejected);
    const { body } = await request<object>(cluster, "GET", `/_alias/${alias}`);
    assert.equal(Object.keys(body), [target]);
  });

  test(`${cluster.version}: no write and no search fails while an index is rebuilt`, () => {
    assert.equal(live.failures.slice(0, 3), []);
    assert.ok(live.searches() > 0 && live.writes() > 0);
  });

  test(`${cluster.version}: a rebuild loses nothing and revives nothing, and each document is the last that was written`, async () => {
    const found = await contentOf(cluster, alias);
    assert.equal(
      [...found.keys()].filter((one) => !live.expected.has(one)),
      [],
      "nothing has risen",
    );
    assert.equal(
      [...live.expected.keys()].filter((one) => !found.has(one)),
      [],
      "nothing is lost",
    );
    for (const [one, expected] of live.expected) assert.equal(found.get(one), expected, one);
  });

  test(`${cluster.version}: the old index takes no writes that nobody would see`, async () => {
    assert.is((await request(cluster, "PUT", `/${old}/_doc/late`, {})).status, 403);
  });
}

test.after(stopStarted);

test.run();
