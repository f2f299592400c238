import { gzipSync } from "node:zlib";
import { Client } from "@opensearch-project/opensearch";
import * as assert from "uvu/assert";
import { API_KEY, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("compressed and invalid request bodies");
const gateways: TestGateway[] = [];

for (const cluster of await clusters()) {
  const index = uniqueIndex("bodies");
  let gateway: TestGateway;
  const send = (path: string, body: Buffer, headers: Record<string, string> = {}) =>
    gateway.send("POST", path, { body, headers: { "content-type": "application/json", ...headers } });
  const zipped = (path: string, body: object) =>
    send(path, gzipSync(JSON.stringify(body)), { "content-encoding": "gzip" });

  test.before(async () => {
    gateway = await startGateway({ node: cluster.url });
    gateways.push(gateway);
    await request(cluster, "PUT", `/${index}`, { settings: { number_of_replicas: 0 } });
  });

  test(`${cluster.version}: bulk, search and hybrid search read gzip bodies`, async () => {
    const written = await zipped("/application/bulk", {
      index,
      bulk_request: [{ id: "a", op: "index", doc: { text: "Żółta łódź" } }],
    });
    assert.is(written.body.index_response.errors, false, written.text);
    await request(cluster, "POST", `/${index}/_refresh`);
    const query = { match: { text: "łódź" } };
    const found = await zipped("/application/search", { index, search_request: { query } });
    assert.equal(
      found.body.search_response.hits.hits.map(({ _id }) => _id),
      ["a"],
    );
    const hybrid = await zipped("/application/hybrid-search", {
      index,
      search_query: "łódź",
      search_request_template: { query: { hybrid: { queries: [query] } } },
    });
    assert.is(hybrid.body.search_response.hits.hits.length, 1, hybrid.text);
  });

  test(`${cluster.version}: the unmodified client works through the raw backend with compression`, async () => {
    const client = new Client({
      node: `${gateway.url}/raw-backend`,
      compression: "gzip",
      headers: { "x-api-key": API_KEY },
    });
    const id = "zipped/1";
    const { statusCode } = await client.index({
      index,
      id,
      body: { text: "salt harbour ".repeat(200) },
      refresh: true,
    });
    assert.is(statusCode, 201);
    const bulk = await client.bulk({
      body: [{ index: { _index: index, _id: "b" } }, { text: "second" }],
      refresh: true,
    });
    assert.is(bulk.body.errors, false);
    const found = await client.search({ index, body: { query: { match: { text: "salt" } } } });
    assert.equal(
      found.body.hits.hits.map(({ _id }) => _id),
      [id],
    );
    await client.close();
  });

  test(`${cluster.version}: compresses an answer on request, also for a compressed request`, async () => {
    const body = gzipSync(JSON.stringify({ index, search_request: { query: { match_all: {} } } }));
    const headers = { "content-encoding": "gzip", "accept-encoding": "gzip" };
    const { status, text } = await send("/application/search", body, headers);
    assert.is(status, 200);
    assert.ok(JSON.parse(text).search_response);
  });

  for (const [what, id] of [
    ["invalid UTF-8", Buffer.from([0xff])],
    ["a lone surrogate", Buffer.from("\\ud83d")],
  ] as const) {
    test(`${cluster.version}: ids that contain ${what} are rejected everywhere, and nothing is stored`, async () => {
      const before = (await request(cluster, "GET", `/${index}/_count`)).body;
      const join = (start: string, end: string) => Buffer.concat([Buffer.from(start), id, Buffer.from(end)]);
      const bulk = `{"index":${JSON.stringify(index)},"bulk_request":[{"op":"index","doc":{},"id":"x`;
      for (const [path, body] of [
        ["/application/bulk", join(bulk, '"}]}')],
        ["/application/search", join('{"index":"', '","search_request":{}}')],
        ["/raw-backend/_bulk", join(`{"index":{"_index":${JSON.stringify(index)},"_id":"x`, '"}}\n{}\n')],
        [`/raw-backend/${index}/_doc`, join('{"text":"', '"}')],
      ] as const) {
        const { status, body: answer } = await send(path, body);
        assert.is(status, 400, path);
        assert.is(answer.error.code, "invalid_request", path);
      }
      await request(cluster, "POST", `/${index}/_refresh`);
      assert.equal((await request(cluster, "GET", `/${index}/_count`)).body, before);
    });
  }
}

test.after(async () => {
  for (const gateway of gateways) await gateway.stop();
});

test.run();
