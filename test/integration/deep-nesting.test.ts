import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { currentKey } from "../../lib/platform/aws/versioned-documents.ts";
import { indexedText } from "../../lib/search/rules/text.ts";
import { RULES_FORM } from "../../lib/settings/rules.ts";
import { createBucket } from "../../packages/local/dev/clients.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { boolQuery, brackets, deepDocument, nestingOfSearch } from "../fixtures/attacks/nesting.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { type FaultProxy, startFaultProxy } from "../fixtures/fault-proxy.ts";
import { startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("nesting so deep that it would crash a cluster node");

const json = { "content-type": "application/json" };

for (const cluster of await clusters()) {
  const { version } = cluster;
  const index = uniqueIndex("deep");
  let proxy: FaultProxy;
  let gateway: TestGateway;

  test.before(async () => {
    proxy = await startFaultProxy(cluster.url);
    gateway = await startGateway({ node: proxy.url });
    await request(cluster, "PUT", `/${index}/_doc/1?refresh=true`, { n: 1 });
  });

  test.before.each(() => proxy.reset());

  const native = `/raw-backend/${index}/_search`;

  for (const { what, method, path, headers, body } of nestingOfSearch(index)) {
    test(`${version}: ${what}, ${path.slice(0, 40)}: 400 without a call to the cluster`, async () => {
      const answer = await gateway.send(method, path, { headers, ...(body && { body: new Uint8Array(body) }) });
      assert.equal([answer.status, answer.body.error?.code, proxy.calls.length], [400, "invalid_request", 0]);
      assert.match(answer.body.error.issues[0]?.message ?? "", /deeper than 400 levels/);
    });
  }

  for (const type of ["application/yaml", "application/cbor", "application/smile", "application/vnd.opensearch+cbor"]) {
    test(`${version}: a body of ${type} is 415, because its nesting cannot be checked`, async () => {
      const { status, body } = await gateway.send("POST", native, { body: "---", headers: { "content-type": type } });
      assert.equal([status, body.error.code, proxy.calls.length], [415, "unsupported_media_type", 0]);
    });
  }

  test(`${version}: bodies just below the limit reach the cluster, which survives them`, async () => {
    const deep = await gateway.send("POST", native, { body: `{"query":${boolQuery(396)}}`, headers: json });
    const quoted = await gateway.send("POST", native, {
      body: brackets(400),
      headers: json,
    });
    const document = await gateway.send("POST", `/raw-backend/${index}/_doc`, {
      body: deepDocument(400),
      headers: json,
    });
    assert.equal([proxy.calls.length, deep.status, quoted.status, document.status < 500], [3, 200, 200, true]);
    assert.is((await request(cluster, "GET", "/")).status, 200);
  });
}

for (const cluster of await clusters()) {
  test(`${cluster.version}: rules whose filter is 600 levels deep are not used: the search is answered without them`, async () => {
    const index = uniqueIndex("deep-rules");
    const cloud = await sharedCloud();
    const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });
    const BUCKET = unique("deep-rules");
    await createBucket(s3, BUCKET, cloud.region);
    const filter = JSON.parse(boolQuery(600));
    const content = { rules: [{ name: "deep", priority: 0, when: { time_zone: "UTC" }, effects: { filter } }] };
    const version = { version: 1, written_at: "", written_by: "ann", form: RULES_FORM, content };
    const Body = indexedText(version);
    await s3.send(new PutObjectCommand({ Bucket: BUCKET, Key: currentKey("rules"), Body }));
    const gateway = await startGateway({ node: cluster.url, settings: { has_rules: true }, env: { BUCKET } });
    await request(cluster, "PUT", `/${index}/_doc/1?refresh=true`, { n: 1 });
    const { status, body, text } = await gateway.post("/application/search", { index, search_request: {} });
    assert.is(status, 200, text);
    assert.equal(
      body.degraded?.map(({ stage, reason }) => [stage, reason]),
      [["rules", "the document of rules cannot be read"]],
    );
    assert.is((await request(cluster, "GET", "/")).status, 200);
  });
}

test.after(stopStarted);

test.run();
