import { join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { patient } from "../../packages/processes/wait.ts";
import { corpus } from "../fixtures/corpus.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { type FaultProxy, startFaultProxy } from "../fixtures/fault-proxy.ts";
import { HYBRID_MAPPING, hybridIndex, SETTINGS, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { indexCli, vectorsIn, writeConf } from "../fixtures/index-cli.ts";
import { type Cluster, clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("writes while another model takes over");
const folder = scratchFolder(TEST_OUTPUT, "rebuild-models");
await startUpstreams();

const DENSE = SETTINGS.models[0];
if (DENSE?.name !== "dense_large_en_v1_5") throw new Error("the models of the tests are others now");
/** Two models of one dimension: what the new one reads before each text gives it other vectors. */
const MODELS = [
  { ...DENSE, revision: "second", passage_prefix: "captain of the caravan: " },
  { ...DENSE, revision: "first", previous: true as const },
];
const MAPPINGS = [
  { embedding_field: "text_dense", model_name: "dense_large_en_v1_5" as const, src_fields: ["title", "text"] },
];
const OWN_VECTOR = Array.from({ length: 1_024 }, (_, at) => (at === 3 ? 1 : 0));

const EARLIER = [
  {
    ...{ stage: "embedding", target: "text_dense", effect: "stored with an earlier text_dense: bulk_request 0" },
    reason:
      "another index took over while this was written: the embedding is of the index before, write the document again",
  },
];

type Operation = { id: string; op: string; doc?: object } & Record<string, unknown>;

/** An alias of an index with vectors of the old model, behind a gateway whose calls can be delayed. */
async function world(cluster: Cluster) {
  const alias = uniqueIndex("models");
  const plain = `${alias}plain`;
  const conf = join(folder, alias);
  writeConf(conf, { dense_large_en_v1_5: { endpoint_name: "dense", revision: "second" } }, [
    { index: alias, embedding_mappings: MAPPINGS },
  ]);
  const proxy = await startFaultProxy(cluster.url);
  const gateway = await startGateway({
    node: proxy.url,
    settings: {
      models: MODELS,
      indexes: [alias, plain].map((index) => hybridIndex(index, { embedding_mappings: MAPPINGS })),
    },
    key: { endpoints: ["administration", "bulk"], indexes: [`${alias}*`] },
    functionTimeoutMs: patient(28_000),
  });
  const { text, text_dense } = HYBRID_MAPPING.mappings.properties;
  const create = (name: string, revision: string, aliases: object) => {
    const { src_fields, model_name: model } = MAPPINGS[0] as (typeof MAPPINGS)[number];
    const embeddings = { text_dense: { model, revision, dimension: 1_024, src_fields } };
    return request(cluster, "PUT", `/${name}`, {
      settings: { index: { knn: true, number_of_replicas: 0 } },
      mappings: { _meta: { relevance: { entry: alias, embeddings } }, properties: { text, title: text, text_dense } },
      aliases,
    });
  };
  assert.is((await create(`${alias}-1`, "first", { [alias]: {} })).status, 200);
  assert.is((await create(plain, "second", {})).status, 200);
  const write = (index: string, bulk_request: Operation[]) =>
    gateway.post("/application/bulk", { index, refresh: true, bulk_request });
  /** Writes, and returns the versions of what is stored by id. */
  const written = async (index: string, operations: Operation[]) => {
    const { body, text: answer } = await write(index, operations);
    assert.is(body.index_response?.errors, false, answer.slice(0, 1_000));
    assert.is(body.degraded, undefined);
    return Object.fromEntries(
      body.index_response.items.flatMap(Object.values).map(({ _id, _version }) => [_id, _version]),
    );
  };
  return { alias, plain, conf, proxy, gateway, create, write, written };
}

/** Delays a call that matches, by default the first one. Returns a promise of its arrival, and what lets it pass. */
function delayed(isIt: (path: string) => boolean, place = 1) {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let seen = 0;
  const on: Parameters<FaultProxy["onCall"]>[0] = ({ path }) => {
    if (!isIt(path)) return undefined;
    seen += 1;
    if (seen !== place) return undefined;
    arrived.resolve();
    return released.promise;
  };
  return { on, arrived: arrived.promise, release: released.resolve };
}

for (const cluster of await clusters()) {
  test(`${cluster.version}: what meets the new index, late or after the hold, is stored with the new model's vectors`, async () => {
    const { alias, plain, conf, proxy, gateway, written } = await world(cluster);
    const texts = corpus(40).map(({ doc: { text } }) => text);
    const doc = (at: number) => ({ title: `title ${at}`, text: texts[at] });
    const all = Array.from({ length: 12 }, (_, at) => ({ id: `d${at}`, op: "index", doc: doc(at) }));
    await written(alias, all);
    const { run } = indexCli(conf, gateway.url);
    const rebuilt = await run("rebuild", "--index", alias, "--embed", "--no-switch", "--json");
    assert.is(rebuilt.code, 0, rebuilt.err);
    const { id } = JSON.parse(rebuilt.out);

    const lateOnes: Operation[] = [
      { id: "d0", op: "index", doc: doc(20) },
      { id: "new", op: "create", doc: doc(21) },
      { id: "d1", op: "update", doc: doc(22) },
      { id: "d2", op: "update", doc: { title: "lighthouse" } },
      { id: "d3", op: "update", doc: { note: "not embedded" } },
      { id: "newer", op: "update", doc_as_upsert: true, doc: doc(23) },
      { id: "d4", op: "delete" },
      { id: "d5", op: "index", doc: { ...doc(24), text_dense: OWN_VECTOR } },
      { id: "theirs", op: "index", doc: doc(25), version: 7, version_type: "external" },
      { id: "d2", op: "update", doc: { text: "oasis" } },
    ];
    const heldOnes: Operation[] = [
      { id: "d6", op: "index", doc: doc(30) },
      { id: "held", op: "create", doc: doc(31) },
      { id: "d7", op: "update", doc: { title: "harbour" } },
    ];
    const late = delayed((path) => path === `/${alias}/_bulk`);
    const moved = delayed((path) => path === "/_aliases");
    let held: ReturnType<typeof written> | undefined;
    proxy.onCall((call) => {
      // The call that moves the aliases waits until the gateway has been told that writes are held.
      if (call.path === "/_aliases" && call.body.includes(`"index":"${alias}-1"`)) {
        held ??= written(alias, heldOnes);
        held.catch(() => moved.release());
        return moved.on(call);
      }
      if (held && call.path.includes("/_alias/relevance-hold-")) moved.release();
      return late.on(call);
    });
    const lateAnswer = written(alias, lateOnes);
    // Awaited at the end; until then its failure is nobody's.
    lateAnswer.catch(() => late.release());
    await late.arrived;
    const switched = await run("switch", "--run", id);
    late.release();
    assert.is(switched.code, 0, switched.err);
    const [lateVersions, heldVersions] = await Promise.all([lateAnswer, held]);

    await written(plain, [...all, ...lateOnes, ...heldOnes]);
    const stored = await vectorsIn(cluster, alias);
    const wanted = await vectorsIn(cluster, plain);
    assert.equal([...stored.keys()].sort(), [...wanted.keys()].sort());
    const differing = [...wanted].filter(([one, vector]) => JSON.stringify(stored.get(one)) !== JSON.stringify(vector));
    assert.equal(
      differing.map(([one]) => one),
      [],
    );
    // What was late is there for a moment with the old model's vector, and replaced. What was held never is.
    assert.equal([lateVersions.new, lateVersions.newer, lateVersions.theirs], [2, 2, 7]);
    assert.is(heldVersions?.held, 1);
  });

  test(`${cluster.version}: what is stored in an index that cannot be looked at is told, and may be sent again`, async () => {
    const { alias, plain, proxy, create, write, written } = await world(cluster);
    await create(`${alias}-2`, "second", {});
    const late = delayed((path) => path === `/${alias}/_bulk`);
    proxy.onCall(late.on);
    const operations = [{ id: "one", op: "index", doc: { text: "salt" } }];
    const answer = write(alias, operations);
    await late.arrived;
    // The write itself passes.
    proxy.fault({ path: `/${alias}`, after: 1, fault: { kind: "status", status: 503 } });
    const actions = [{ remove: { index: `${alias}-1`, alias } }, { add: { index: `${alias}-2`, alias } }];
    await request(cluster, "POST", "/_aliases", { actions });
    late.release();
    const { body } = await answer;
    assert.is(body.index_response.items[0]?.index?.status, 201);
    assert.equal(body.degraded, EARLIER);
    proxy.reset();
    await written(alias, operations);
    await written(plain, operations);
    assert.equal(await vectorsIn(cluster, alias), await vectorsIn(cluster, plain));
  });

  test(`${cluster.version}: what somebody else changes before it is embedded again stays, and is told`, async () => {
    const { alias, proxy, create, write } = await world(cluster);
    await create(`${alias}-2`, "second", {});
    const isBulk = (path: string) => path === `/${alias}/_bulk`;
    const [late, again] = [delayed(isBulk), delayed(isBulk, 2)];
    proxy.onCall((call) => {
      const [first, second] = [late.on(call), again.on(call)];
      return first ?? second;
    });
    const answer = write(alias, [{ id: "one", op: "create", doc: { text: "salt" } }]);
    await late.arrived;
    const actions = [{ remove: { index: `${alias}-1`, alias } }, { add: { index: `${alias}-2`, alias } }];
    await request(cluster, "POST", "/_aliases", { actions });
    late.release();
    await again.arrived;
    await request(cluster, "POST", `/${alias}-2/_update/one?refresh=true`, { doc: { note: "theirs" } });
    again.release();
    const { body } = await answer;
    assert.equal([body.index_response.errors, body.index_response.items[0]?.create?.status], [false, 201]);
    assert.equal(body.degraded, EARLIER);
    const stored = await request(cluster, "GET", `/${alias}-2/_source/one?_source=note`);
    assert.equal(stored.body, { note: "theirs" });
  });
}

test.after(stopStarted);

test.run();
