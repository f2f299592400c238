import * as assert from "uvu/assert";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { bulkGateway } from "../lib/search/bulk/support.ts";
import { suite } from "../suite.ts";

const test = suite("bulk");

for (const cluster of await clusters()) {
  const { version } = cluster;
  const gateway = bulkGateway(cluster.url);

  /** The stored document as the cluster prints it. */
  const stored = async (index: string, id: string) => {
    const url = new URL(`/${index}/_source/${encodeURIComponent(id)}`, cluster.url);
    return (await fetch(url)).text();
  };

  test(`${version}: answers as the specification observed`, async () => {
    const index = uniqueIndex("outcomes");
    const first = await gateway.bulk(index, [
      { id: "1", op: "index", doc: { n: 1 } },
      { id: "2", op: "create", doc: { n: 2 } },
      { id: "9", op: "delete" },
    ]);
    assert.is(first.status, 200);
    const { took, errors, items } = first.body.index_response;
    assert.ok(Number.isInteger(took));
    assert.is(errors, false, "deleting an absent id is no error");
    assert.equal(
      items.map((item) => Object.keys(item)),
      [["index"], ["create"], ["delete"]],
    );
    const [created, , absent] = first.items;
    const keys = ["_index", "_id", "_version", "result", "_shards", "_seq_no", "_primary_term", "status"];
    assert.equal(Object.keys(created ?? {}), keys);
    assert.equal(Object.keys(created?._shards ?? {}), ["total", "successful", "failed"]);
    assert.equal([created?.result, created?.status, created?._version, created?._index], ["created", 201, 1, index]);
    assert.equal([absent?.result, absent?.status], ["not_found", 404]);

    const second = await gateway.bulk(index, [
      { id: "1", op: "index", doc: { n: 11 } },
      { id: "2", op: "update", doc: { m: 3 } },
    ]);
    for (const item of second.items) assert.equal([item.result, item.status, item._version], ["updated", 200, 2]);
    assert.equal(JSON.parse(await stored(index, "2")), { n: 2, m: 3 });
  });

  test(`${version}: the answer repeats the request, with doc null in each delete`, async () => {
    const index = uniqueIndex("echo");
    const { body, text } = await gateway.send(
      `{ "bulk_request": [{"op":"index","id":"a","doc":{ "big": 9007199254740993, "one":1.0 }},\n{"id":"b","op":"delete"},
        {"id":"c","op":"delete","doc":null}], "index": "${index}" }`,
    );
    assert.is(body.index, index);
    assert.equal(body.bulk_request.slice(1), [
      { id: "b", op: "delete", doc: null },
      { id: "c", op: "delete", doc: null },
    ]);
    assert.match(text, '{"op":"index","id":"a","doc":{ "big": 9007199254740993, "one":1.0 }}');
    assert.equal(Object.keys(body), ["index", "bulk_request", "index_response"]);
  });

  test(`${version}: numbers, escapes and line breaks in documents reach the cluster as they were written`, async () => {
    const index = uniqueIndex("bytes");
    const doc = '{\n "big":9007199254740993,\r\n "one":1.0, "text":"a\\nb \\u00e9 \\"q\\"", "list":[1.50,2E3] }';
    const answer = await gateway.send(`{"index":"${index}","bulk_request":[{"id":"1","op":"index","doc":${doc}}]}`);
    assert.is(answer.items[0]?.status, 201);
    const source = await stored(index, "1");
    assert.match(source, /"big":\s*9007199254740993/);
    assert.match(source, /"one":\s*1\.0/);
    assert.is(JSON.parse(source).text, 'a\nb é "q"');
    const { body } = await request<Record<string, { mappings: { properties: Record<string, { type: string }> } }>>(
      cluster,
      "GET",
      `/${index}/_mapping`,
    );
    assert.is(body[index]?.mappings.properties.one?.type, "float");

    await gateway.send(
      `{"index":"${index}","bulk_request":[{"id":"1","op":"update","doc":{"huge":18014398509481985}}]}`,
    );
    assert.match(await stored(index, "1"), /18014398509481985/);
  });

  test(`${version}: several operations on one id happen in their order`, async () => {
    const index = uniqueIndex("chain");
    const { items, body } = await gateway.bulk(index, [
      { id: "a", op: "index", doc: { n: 1 } },
      { id: "b", op: "index", doc: { n: 1 } },
      { id: "a", op: "update", doc: { n: 2 } },
      { id: "a", op: "delete" },
      { id: "b", op: "update", doc: { m: 5 } },
      { id: "a", op: "create", doc: { n: 3 } },
    ]);
    assert.equal(
      items.map(({ result, _id }) => `${_id} ${result}`),
      ["a created", "b created", "a updated", "a deleted", "b updated", "a created"],
    );
    assert.is(body.index_response.errors, false);
    assert.equal(JSON.parse(await stored(index, "a")), { n: 3 });
    assert.equal(JSON.parse(await stored(index, "b")), { n: 1, m: 5 });
  });

  test(`${version}: passes errors of single items on unchanged, and stops only later operations on their ids`, async () => {
    const index = uniqueIndex("errors");
    await gateway.bulk(index, [{ id: "old", op: "index", doc: { n: 1 } }]);
    const { status, items, body } = await gateway.bulk(index, [
      { id: "gone", op: "update", doc: { n: 2 } },
      { id: "old", op: "create", doc: { n: 2 } },
      { id: "gone", op: "index", doc: { n: 3 } },
      { id: "wrong", op: "index", doc: { n: "no number" } },
      { id: "fine", op: "index", doc: { n: 4 } },
    ]);
    assert.is(status, 200);
    assert.is(body.index_response.errors, true);
    assert.equal(
      items.map((item) => [item.status, item.error?.type]),
      [
        [404, "document_missing_exception"],
        [409, "version_conflict_engine_exception"],
        [409, "earlier_operation_failed"],
        [400, "mapper_parsing_exception"],
        [201, undefined],
      ],
    );
    const [missing, , later] = items;
    assert.equal(Object.keys(missing?.error ?? {}), ["type", "reason", "index", "shard", "index_uuid"]);
    assert.is(later?.error.retryable, true);
    assert.is((await request(cluster, "GET", `/${index}/_doc/gone`)).status, 404);
  });

  test(`${version}: stores an id of 512 bytes, and rejects one of 600 before anything is written`, async () => {
    const index = uniqueIndex("ids");
    const long = "é".repeat(256);
    const fine = await gateway.bulk(index, [{ id: long, op: "index", doc: { n: 1 } }]);
    assert.is(fine.items[0]?._id, long);
    const { status, body } = await gateway.bulk(index, [
      { id: "a", op: "index", doc: { n: 1 } },
      { id: "é".repeat(300), op: "index", doc: { n: 1 } },
    ]);
    assert.is(status, 400);
    assert.equal(body.error.issues, [
      { path: "bulk_request.1.id", message: "must have at most 512 bytes in UTF-8, got 600" },
    ]);
    assert.is((await request(cluster, "GET", `/${index}/_doc/a`)).status, 404);
  });

  test(`${version}: writes to the write index of an alias`, async () => {
    const [one, two, alias] = [uniqueIndex("one"), uniqueIndex("two"), uniqueIndex("alias")];
    await request(cluster, "PUT", `/${one}`, { aliases: { [alias]: {} } });
    await request(cluster, "PUT", `/${two}`, { aliases: { [alias]: { is_write_index: true } } });
    const { items } = await gateway.bulk(alias, [{ id: "1", op: "index", doc: { n: 1 } }]);
    assert.is(items[0]?._index, two);
  });

  test(`${version}: splits a body over max_bulk_bytes, sends the chunks in order and joins the answers`, async () => {
    const index = uniqueIndex("chunks");
    const small = bulkGateway(cluster.url, { max_bulk_bytes: 2_000 });
    const operations = Array.from({ length: 100 }, (_, i) => ({
      id: `d${i}`,
      op: "index",
      doc: { n: i, pad: "x".repeat(i === 50 ? 5_000 : 100) },
    }));
    const { items, body } = await small.bulk(index, operations);
    assert.is(body.index_response.errors, false);
    assert.equal(
      items.map(({ _id }) => _id),
      operations.map(({ id }) => id),
    );
    assert.ok(
      items.every((item, i) => i === 0 || item._seq_no > (items[i - 1]?._seq_no ?? 0)),
      "sequence numbers of one shard follow the order of sending",
    );
  });

  test(`${version}: a request that the cluster rejects as a whole is 422 with its reason`, async () => {
    const index = uniqueIndex("refused");
    const { status, body } = await gateway.send(
      `{"index":"${index}","bulk_request":[{"id":"1","op":"update","doc":{"a":1,"a":2}}]}`,
    );
    assert.is(status, 422);
    assert.is(body.error.code, "rejected_by_cluster");
    assert.match(String(body.error.cause.reason), /failed to parse field \[doc\]/);
    assert.match(body.error.message, /Nothing has been written\.$/);
  });
}

test.run();
