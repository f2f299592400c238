import * as assert from "uvu/assert";
import { startFaultProxy } from "../fixtures/fault-proxy.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { bulkGateway, MAPPED_INDEX, mappedIndex, vectorOf } from "../lib/search/bulk/support.ts";
import { suite } from "../suite.ts";

const test = suite("bulk with routing, versions and upserts");

for (const cluster of await clusters()) {
  const { version } = cluster;

  const open = async (definition: object, mapped: boolean) => {
    const index = uniqueIndex("conditions");
    await request(cluster, "PUT", `/${index}`, definition);
    const proxy = await startFaultProxy(cluster.url);
    return { index, proxy, gateway: bulkGateway(proxy.url, mapped ? { indexes: [mappedIndex(index)] } : {}) };
  };
  const setUp = () => open({ settings: { number_of_replicas: 0 } }, false);
  const setUpMapped = () => open(MAPPED_INDEX, true);

  const stored = async (index: string, id: string, routing?: string) => {
    const path = `/${index}/_doc/${id}${routing === undefined ? "" : `?routing=${routing}`}`;
    return (await request<{ _version: number; _source: Record<string, unknown> }>(cluster, "GET", path)).body;
  };
  const hasVectorOf = async (index: string, id: string, text: string, routing?: string) => {
    const { dense } = (await stored(index, id, routing))._source;
    assert.equal((dense as number[]).map(Math.fround), vectorOf(text).map(Math.fround), text);
  };
  const statuses = (items: ReadonlyArray<{ status: number; error?: { type: string } }>) =>
    items.map(({ status, error }) => (error ? `${status} ${error.type}` : status));
  const CONFLICT = "409 version_conflict_engine_exception";

  test(`${version}: a write with if_seq_no succeeds once; the next is sent once and gets the cluster's own 409`, async () => {
    const { index, proxy, gateway } = await setUp();
    const [first] = (await gateway.bulk(index, [{ id: "1", op: "index", doc: { n: 1 } }])).items;
    const guard = { if_seq_no: first?._seq_no, if_primary_term: first?._primary_term };
    const written = await gateway.bulk(index, [{ id: "1", op: "index", doc: { n: 2 }, ...guard }]);
    assert.equal(statuses(written.items), [200]);
    for (const operation of [
      { id: "1", op: "index", doc: { n: 3 } },
      { id: "1", op: "update", doc: { n: 4 } },
      { id: "1", op: "delete" },
    ]) {
      proxy.reset();
      const { items } = await gateway.bulk(index, [{ ...operation, ...guard }]);
      assert.equal([statuses(items), proxy.count("/_bulk")], [[CONFLICT], 1], operation.op);
      assert.match(items[0]?.error.reason ?? "", "version conflict, required seqNo");
    }
    assert.equal((await stored(index, "1"))._source, { n: 2 });
  });

  test(`${version}: an external version orders writes`, async () => {
    const { index, gateway } = await setUp();
    const at = (version: number, op = "index", version_type = "external") => ({
      id: "1",
      op,
      ...(op === "index" && { doc: { version } }),
      version,
      version_type,
    });
    const write = async (operation: ReturnType<typeof at>) => (await gateway.bulk(index, [operation])).items;
    assert.equal(statuses(await write(at(2 ** 53 - 3))), [201]);
    assert.equal(statuses(await write(at(7))), [CONFLICT]);
    assert.equal(statuses(await write(at(2 ** 53 - 3))), [CONFLICT]);
    assert.equal(statuses(await write(at(2 ** 53 - 3, "index", "external_gte"))), [200]);
    assert.is((await stored(index, "1"))._version, 2 ** 53 - 3);
    assert.equal(statuses(await write(at(2 ** 53 - 2, "delete"))), [200]);
  });

  test(`${version}: routing selects the document, also when stored sources are read`, async () => {
    const definition = {
      ...MAPPED_INDEX,
      settings: { index: { ...MAPPED_INDEX.settings.index, number_of_shards: 2 } },
    };
    const { index, gateway } = await open(definition, true);
    const shardOf = async (routing: string) => {
      const path = `/${index}/_search_shards?routing=${routing}`;
      return (await request<{ shards: Array<Array<{ shard: number }>> }>(cluster, "GET", path)).body.shards[0]?.[0]
        ?.shard;
    };
    const routings = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const shards = await Promise.all(routings.map(shardOf));
    // The same id on two shards is two documents.
    const [a, b] = [0, 1].map((shard) => routings[shards.indexOf(shard)] ?? "");
    if (!a || !b) throw new Error("all routings lead to one shard");
    const write = (routing: string, op: string, doc: object) => ({ id: "x", op, doc, routing });
    await gateway.bulk(index, [
      write(a, "index", { title: "salt", body: "one" }),
      write(b, "index", { title: "red", body: "two" }),
    ]);
    const { items } = await gateway.bulk(index, [
      write(a, "update", { body: "three" }),
      write(b, "update", { body: "four" }),
      write(b, "update", { title: "glass" }),
    ]);
    assert.equal(statuses(items), [200, 200, 200]);
    await hasVectorOf(index, "x", "salt\nthree", a);
    await hasVectorOf(index, "x", "glass\nfour", b);
  });

  test(`${version}: an item without the routing that its index requires gets the cluster's own error`, async () => {
    const mappings = { ...MAPPED_INDEX.mappings, _routing: { required: true } };
    const { index, gateway } = await open({ ...MAPPED_INDEX, mappings }, true);
    const { status, items } = await gateway.bulk(index, [
      { id: "1", op: "update", doc: { title: "a" } },
      { id: "2", op: "index", doc: { title: "a" }, routing: "r" },
    ]);
    assert.is(status, 200);
    assert.equal(statuses(items), ["400 routing_missing_exception", 201]);
  });

  test(`${version}: doc_as_upsert creates a missing document, and embeds the document that results`, async () => {
    const { index, proxy, gateway } = await setUpMapped();
    const upsert = (doc: object) => ({ id: "1", op: "update", doc, doc_as_upsert: true });
    const [created] = (await gateway.bulk(index, [upsert({ title: "salt" })])).items;
    assert.equal([created?.status, created?.result], [201, "created"]);
    await hasVectorOf(index, "1", "salt");
    const [updated] = (await gateway.bulk(index, [upsert({ body: "road" })])).items;
    assert.equal([updated?.status, updated?.result], [200, "updated"]);
    await hasVectorOf(index, "1", "salt\nroad");

    const { items } = await gateway.bulk(index, [{ id: "1", op: "delete" }, upsert({ body: "sea" })]);
    assert.equal(statuses(items), [200, 201]);
    await hasVectorOf(index, "1", "sea");

    proxy.reset();
    const whole = await gateway.bulk(index, [{ ...upsert({ title: "a", body: "b" }), id: "2" }]);
    assert.equal([statuses(whole.items), proxy.count("/_mget")], [[201], 0]);
    await hasVectorOf(index, "2", "a\nb");
  });

  test(`${version}: an upsert that meets a document created meanwhile embeds that document's sources too`, async () => {
    const { index, proxy, gateway } = await setUpMapped();
    let appears = true;
    proxy.onCall((call) => {
      if (!call.path.endsWith("/_bulk") || !appears) return undefined;
      appears = false;
      return request(cluster, "PUT", `/${index}/_doc/1`, { title: "there", body: "now" });
    });
    const { items } = await gateway.bulk(index, [{ id: "1", op: "update", doc: { body: "c" }, doc_as_upsert: true }]);
    assert.equal(statuses(items), [200]);
    await hasVectorOf(index, "1", "there\nc");
  });

  test(`${version}: an update with if_seq_no is embedded from that version, or is a conflict`, async () => {
    const { index, proxy, gateway } = await setUpMapped();
    const [first] = (await gateway.bulk(index, [{ id: "1", op: "index", doc: { title: "a", body: "b" } }])).items;
    const guard = { if_seq_no: first?._seq_no, if_primary_term: first?._primary_term };
    const fine = await gateway.bulk(index, [{ id: "1", op: "update", doc: { body: "c" }, ...guard }]);
    assert.equal(statuses(fine.items), [200]);
    await hasVectorOf(index, "1", "a\nc");
    proxy.reset();
    const stale = await gateway.bulk(index, [{ id: "1", op: "update", doc: { body: "d" }, ...guard }]);
    assert.equal(statuses(stale.items), [CONFLICT]);
    assert.is((await stored(index, "1"))._source.body, "c");
    const gone = await gateway.bulk(index, [{ id: "gone", op: "update", doc: { body: "d" }, ...guard }]);
    assert.equal(statuses(gone.items), ["404 document_missing_exception"]);

    // The document changes between reading and writing.
    const [second] = fine.items;
    proxy.reset();
    proxy.onCall((call) =>
      call.path.endsWith("/_bulk") ? request(cluster, "POST", `/${index}/_update/1`, { doc: { n: 1 } }) : undefined,
    );
    const now = { if_seq_no: second?._seq_no, if_primary_term: second?._primary_term };
    const raced = await gateway.bulk(index, [{ id: "1", op: "update", doc: { body: "e" }, ...now }]);
    assert.equal([statuses(raced.items), proxy.count("/_bulk")], [[CONFLICT], 1]);
  });

  test(`${version}: a lost answer to a write with if_seq_no is never reported as a conflict`, async () => {
    const { index, proxy, gateway } = await setUp();
    const [first] = (await gateway.bulk(index, [{ id: "1", op: "index", doc: { n: 1 } }])).items;
    const guard = { if_seq_no: first?._seq_no, if_primary_term: first?._primary_term };
    const operation = { id: "1", op: "index", doc: { n: 2 }, ...guard };
    proxy.reset();
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_before" }, times: 1 });
    const again = await gateway.bulk(index, [operation]);
    assert.equal([statuses(again.items), proxy.count("/_bulk")], [[200], 2], "it may be sent again");

    proxy.reset();
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_before" }, times: 1 });
    const unknown = await gateway.bulk(index, [{ ...operation, doc: { n: 3 } }]);
    assert.equal([unknown.status, unknown.body.error.code], [500, "outcome_unknown"]);
  });

  test(`${version}: a write with an external version whose answer is lost is recognized by its version`, async () => {
    const { index, proxy, gateway } = await setUp();
    const at = (version: number) => ({ id: "1", op: "index", doc: { n: 1 }, version, version_type: "external" });
    await gateway.bulk(index, [at(3)]);
    proxy.reset();
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_after" }, times: 1 });
    const done = await gateway.bulk(index, [at(5)]);
    assert.equal([statuses(done.items), done.items[0]?._version], [[200], 5]);
    proxy.reset();
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_before" }, times: 1 });
    const unknown = await gateway.bulk(index, [at(6)]);
    assert.equal([unknown.status, proxy.count("/_bulk")], [500, 1], "the document is equal, its version is not");
  });

  test(`${version}: refresh makes documents searchable, and the answer repeats it`, async () => {
    const index = uniqueIndex("refresh");
    await request(cluster, "PUT", `/${index}`, { settings: { number_of_replicas: 0, refresh_interval: "1s" } });
    const gateway = bulkGateway(cluster.url);
    for (const refresh of [true, "wait_for"] as const) {
      const id = String(refresh);
      const answer = await gateway.send({ index, refresh, bulk_request: [{ id, op: "index", doc: { n: 1 } }] });
      assert.is((answer.body as { refresh?: unknown }).refresh, refresh);
      const query = { query: { ids: { values: [id] } } };
      const { body } = await request<{ hits: { hits: unknown[] } }>(cluster, "POST", `/${index}/_search`, query);
      assert.is(body.hits.hits.length, 1, id);
    }
  });

  test(`${version}: a dotted embedding field is stored in its object, found, updated and removed`, async () => {
    const index = uniqueIndex("nested");
    const { dense, sparse } = MAPPED_INDEX.mappings.properties;
    const passages = { properties: { text: { type: "text" }, v: dense, w: sparse } };
    await request(cluster, "PUT", `/${index}`, { ...MAPPED_INDEX, mappings: { properties: { passages } } });
    const mapping = (embedding_field: string, model_name: "dense_large_en_v1_5" | "sparse_v3") => ({
      embedding_field,
      model_name,
      src_fields: ["title", "passages.text"],
    });
    const embedding_mappings = [mapping("passages.v", "dense_large_en_v1_5"), mapping("passages.w", "sparse_v3")];
    const gateway = bulkGateway(cluster.url, { indexes: [mappedIndex(index, { embedding_mappings })] });
    const holds = async (id: string, text: string) => {
      const { v } = (await stored(index, id))._source.passages as { v: number[] };
      assert.equal(v.map(Math.fround), vectorOf(text).map(Math.fround), text);
      await request(cluster, "POST", `/${index}/_refresh`);
      const [word = ""] = text.split(/\s/);
      for (const query of [
        { knn: { "passages.v": { vector: vectorOf(text), k: 1 } } },
        { rank_feature: { field: `passages.w.${word}`, linear: {} } },
      ]) {
        const found = await request<{ hits: { hits: Array<{ _id: string }> } }>(cluster, "POST", `/${index}/_search`, {
          query,
        });
        assert.is(found.body.hits.hits[0]?._id, id, JSON.stringify(Object.keys(query)));
      }
    };
    const doc = '{ "n":9007199254740993, "passages" : {"text":"salt road" , "one":1.0 } }';
    const written = await gateway.send(`{"index":"${index}","bulk_request":[{"id":"1","op":"index","doc":${doc}}]}`);
    assert.equal(statuses(written.items), [201]);
    await holds("1", "salt road");
    assert.equal(
      statuses((await gateway.bulk(index, [{ id: "1", op: "update", doc: { title: "red" } }])).items),
      [200],
    );
    await holds("1", "red\nsalt road");
    const { passages: kept } = (await stored(index, "1"))._source as { passages: Record<string, unknown> };
    assert.equal([kept.text, kept.one], ["salt road", 1]);

    const { items } = await gateway.bulk(index, [
      { id: "1", op: "update", doc: { title: null, passages: { text: "" } } },
      { id: "2", op: "index", doc: { title: "sea" } },
      { id: "3", op: "index", doc: { title: "sea", passages: [{ text: "a" }] } },
    ]);
    assert.equal(statuses(items), [200, 201, "400 invalid_source_text"]);
    await holds("2", "sea");
    const without = { query: { bool: { must_not: { exists: { field: "passages.v" } } } } };
    const found = await request<{ hits: { hits: Array<{ _id: string }> } }>(
      cluster,
      "POST",
      `/${index}/_search`,
      without,
    );
    assert.equal(
      found.body.hits.hits.map(({ _id }) => _id),
      ["1"],
    );
  });
}

test.after(stopStarted);
test.run();
