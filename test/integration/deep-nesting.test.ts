import * as assert from "uvu/assert";
import { type FaultProxy, startFaultProxy } from "../fixtures/fault-proxy.ts";
import { startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("deep nesting, which would end a node of the cluster");
const toStop: Array<{ stop(): Promise<void> }> = [];

const repeat = (open: string, levels: number, close: string, core = "") =>
  open.repeat(levels) + core + close.repeat(levels);
const bool = (levels: number) => repeat('{"bool":{"must":', levels / 2, "}}", '{"match_all":{}}');
const wrapper = (query: string) => `{"wrapper":{"query":"${Buffer.from(query).toString("base64")}"}}`;
const aggregations = (levels: number) =>
  repeat('{"aggs":{"a":{"global":{},', levels / 2, "}}}", '"meta":{}').replaceAll(',{"aggs"', ',"aggs"');
const json = { "content-type": "application/json" };

for (const cluster of await clusters()) {
  const { version } = cluster;
  const index = uniqueIndex("deep");
  let proxy: FaultProxy;
  let gateway: TestGateway;

  test.before(async () => {
    proxy = await startFaultProxy(cluster.url);
    gateway = await startGateway({ node: proxy.url });
    toStop.unshift(gateway, proxy);
    await request(cluster, "PUT", `/${index}/_doc/1?refresh=true`, { n: 1 });
  });

  test.before.each(() => proxy.reset());

  const search = (body: string) => `{"index":"${index}","search_request":${body}}`;
  const hybrid = (query: string) =>
    `{"index":"${index}","search_query":"x","search_request_template":{"query":{"hybrid":{"queries":[${query}]}}}}`;
  const native = `/raw-backend/${index}/_search`;
  const text = `{"query":{"simple_query_string":{"query":"${"(".repeat(20_000)}a"}}}`;
  const ATTACKS: Record<string, [path: string, body: string, init?: RequestInit]> = {
    "a document": [
      "/application/bulk",
      `{"index":"${index}","bulk_request":[{"id":"1","op":"index","doc":${repeat('{"a":', 5_000, "}", "1")}}]}`,
    ],
    "a bool query": ["/application/search", search(`{"query":${bool(1_000)}}`)],
    "brackets of a query string": ["/application/search", search(text)],
    "a wrapper query": ["/application/search", search(`{"query":${wrapper(bool(1_000))}}`)],
    "a hybrid query": ["/application/hybrid-search", hybrid(bool(3_000))],
    "sub-aggregations": ["/application/search", search(`{"size":0,${aggregations(3_000).slice(1)}`)],
    "a native query": [native, `{"query":${bool(1_000)}}`],
    "a native query behind a comment": [native, `/* " */{"query":${bool(1_000)}}`],
    "a native document": [`/raw-backend/${index}/_doc`, repeat('{"a":', 5_000, "}", "1")],
    "a document of a native _bulk": [
      "/raw-backend/_bulk",
      `{"index":{"_index":"${index}"}}\n${repeat('{"a":', 5_000, "}", "1")}\n`,
    ],
    "brackets of a native query string": [native, text],
    "brackets of the second search of an _msearch": [`/raw-backend/${index}/_msearch`, `{}\n{}\n{}\n${text}\n`],
    "brackets of q=": [`${native}?q=${"(".repeat(2_000)}a`, ""],
    "source=": [
      `${native}?source_content_type=application/json&source=${encodeURIComponent(`{"query":${bool(402)}}`)}`,
      "",
    ],
    "a wrapper in a wrapper": [native, `{"query":${wrapper(`{"bool":{"must":${wrapper(bool(1_000))}}}`)}}`],
    "a stored query of an alias": [`/raw-backend/${index}/_alias/a`, `{"filter":${bool(1_000)}}`],
  };
  for (const [what, [path, body]] of Object.entries(ATTACKS)) {
    test(`${version}: ${what} is 400 with the path, and the cluster is not called`, async () => {
      const answer = await gateway.send("POST", path, { ...(body !== "" && { body, headers: json }) });
      assert.equal([answer.status, answer.body.error?.code, proxy.calls.length], [400, "invalid_request", 0]);
      assert.match(answer.body.error.issues[0]?.message ?? "", /deeper than 400 levels/);
    });
  }

  for (const type of ["application/yaml", "application/cbor", "application/smile", "application/vnd.opensearch+cbor"]) {
    test(`${version}: a body of ${type} is 415, since its nesting cannot be seen`, async () => {
      const { status, body } = await gateway.send("POST", native, { body: "---", headers: { "content-type": type } });
      assert.equal([status, body.error.code, proxy.calls.length], [415, "unsupported_media_type", 0]);
    });
  }

  test(`${version}: what is just below the limit reaches the cluster, which survives it`, async () => {
    const deep = await gateway.send("POST", native, { body: `{"query":${bool(396)}}`, headers: json });
    const quoted = await gateway.send("POST", native, {
      body: text.replace("(".repeat(20_000), "(".repeat(400)),
      headers: json,
    });
    const document = await gateway.send("POST", `/raw-backend/${index}/_doc`, {
      body: repeat('{"a":', 400, "}", "1"),
      headers: json,
    });
    assert.equal([proxy.calls.length, deep.status, quoted.status, document.status < 500], [3, 200, 200, true]);
    assert.is((await request(cluster, "GET", "/")).status, 200);
  });
}

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();
