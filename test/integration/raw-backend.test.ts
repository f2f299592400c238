import { Client } from "@opensearch-project/opensearch";
import * as assert from "uvu/assert";
import { connectToItself } from "../fixtures/access-world.ts";
import { callsToDot, harmlessCalls, type RawCall } from "../fixtures/dot-calls.ts";
import { API_KEY, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("raw backend");

interface Hits {
  hits: unknown;
}
const upstreams = await startUpstreams();
const gateways: TestGateway[] = [];

for (const cluster of await clusters()) {
  let gateway: TestGateway;
  let guarded: TestGateway;
  let ruled: TestGateway;
  const own = uniqueIndex("own");
  const raw = (method: string, path: string, body?: unknown) =>
    gateway.send(method, `/raw-backend${path}`, {
      ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });

  test.before(async () => {
    gateway = await startGateway({ node: cluster.url });
    guarded = await startGateway({ node: cluster.url, settings: { raw_backend_deny: "recommended" } });
    const raw_backend_deny = [`POST /${own}-post`, `PUT /${own}-put`, `DELETE /${own}/_doc/*`, "* /_cat/*"];
    ruled = await startGateway({ node: cluster.url, settings: { raw_backend_deny } });
    gateways.push(gateway, guarded, ruled);
  });

  test(`${cluster.version}: the unmodified official client creates, writes, searches, scrolls and deletes`, async () => {
    const client = new Client({ node: `${gateway.url}/raw-backend`, headers: { "x-api-key": API_KEY }, maxRetries: 0 });
    const index = uniqueIndex("raw");
    assert.is((await client.info()).body.version.number, cluster.version);
    await client.indices.create({ index, body: { settings: { index: { number_of_replicas: 0 } } } });
    assert.is((await client.indices.exists({ index })).body, true);
    const body = Array.from({ length: 25 }, (_, i) => [{ index: { _id: `a/b ${i}` } }, { n: i }]).flat();
    const bulk = await client.bulk({ index, body, refresh: true });
    assert.is(bulk.body.errors, false);
    const found = await client.search({
      index,
      body: { query: { range: { n: { gte: 20 } } } },
      track_total_hits: true,
    });
    assert.equal(found.body.hits.total, { value: 5, relation: "eq" });
    const one = await client.get({ index, id: "a/b 7" });
    assert.equal(one.body._source, { n: 7 });

    const seen: string[] = [];
    let page = await client.search({ index, scroll: "1m", size: 10, body: { sort: ["n"] } });
    while (page.body.hits.hits.length > 0) {
      seen.push(...page.body.hits.hits.map(({ _id }) => String(_id)));
      page = (await client.scroll({ body: { scroll_id: String(page.body._scroll_id), scroll: "1m" } })) as typeof page;
    }
    assert.equal(
      seen,
      Array.from({ length: 25 }, (_, i) => `a/b ${i}`),
    );
    await client.clearScroll({ body: { scroll_id: [String(page.body._scroll_id)] } });
    await client.indices.delete({ index });
    assert.is((await client.indices.exists({ index })).body, false);
    await client.close();
  });

  test(`${cluster.version}: POST with only an index creates it, as the specification shows`, async () => {
    const index = uniqueIndex("post");
    const created = await raw("POST", `/${index}`, { settings: { index: { number_of_replicas: 0 } } });
    assert.is(created.status, 200);
    assert.equal(created.body, { acknowledged: true, shards_acknowledged: true, index });
    const described = await raw("GET", `/${index}`);
    const { aliases, mappings, settings } = described.body[index] as Record<string, unknown>;
    assert.ok(aliases && mappings && settings);
    const mapping = await raw("PUT", `/${index}/_mapping`, { properties: { title: { type: "text" } } });
    assert.equal(mapping.body, { acknowledged: true });
    const deleted = await raw("DELETE", `/${index}`);
    assert.equal(deleted.body, { acknowledged: true });
  });

  test(`${cluster.version}: returns the cluster's errors byte for byte`, async () => {
    const path = "/no-such-index/_search?pretty";
    const direct = await fetch(`${cluster.url}${path}`);
    const through = await raw("GET", path);
    assert.is(through.status, 404);
    assert.is(through.text, await direct.text());
    assert.is(through.headers.get("content-type"), direct.headers.get("content-type"));
  });

  test(`${cluster.version}: forwards native NDJSON byte for byte, and returns plain text as such`, async () => {
    const index = uniqueIndex("nd");
    const body = `{"index":{"_index":"${index}","_id":"é"}}\n{"n":9007199254740993,"r":1.0}\n`;
    const headers = { "content-type": "application/x-ndjson" };
    const answer = await gateway.send("POST", "/raw-backend/_bulk?refresh=true", { body, headers });
    assert.is(answer.body.errors, false);
    const stored = await request(cluster, "GET", `/${index}/_source/${encodeURIComponent("é")}`);
    assert.match(JSON.stringify(stored.body), '"n"');
    const source = await gateway.send("GET", `/raw-backend/${index}/_source/%C3%A9`);
    assert.match(source.text, "9007199254740993");
    const health = await gateway.send("GET", "/raw-backend/_cat/health?h=status");
    assert.match(health.headers.get("content-type") ?? "", "text/plain");
    // Red for a moment while another test file creates an index.
    assert.match(health.text, /^(green|yellow|red)\n$/);
  });

  test(`${cluster.version}: HEAD returns the cluster's status and no body`, async () => {
    const missing = await gateway.send("HEAD", `/raw-backend/${uniqueIndex("none")}`);
    assert.is(missing.status, 404);
    assert.is(missing.text, "");
  });

  for (const [what, path] of [
    ["a .. segment", "/raw-backend/a/%2e%2e/_search"],
    ["broken percent-encoding", "/raw-backend/%E0%A4%A"],
  ] as const) {
    test(`${cluster.version}: ${what} in the path is 400`, async () => {
      const { status, body } = await rawPath(gateway.url, path);
      assert.is(status, 400);
      assert.is(body.error.code, "invalid_request");
    });
  }

  for (const [method, path, body] of [
    ["GET", "/_plugins/_security/api/internalusers"],
    ["PUT", "/_snapshot/mine"],
    ["GET", "/%5Fsnapshot"],
    ["POST", "/_nodes/reload_secure_settings"],
    ["POST", "/_plugins/_ml/connectors/_create"],
    ["POST", "/_plugins/_notifications/configs"],
    ["DELETE", "/_all"],
    ["DELETE", "/*"],
    ["DELETE", "/%2A"],
    ["DELETE", "/a,*"],
    ["POST", "//_close"],
    ["POST", "/_all/_delete_by_query"],
    ["POST", "/_reindex", { source: { remote: { host: "http://x" }, index: "a" }, dest: { index: "b" } }],
    ["GET", "/.opendistro_security/_search"],
  ] as const) {
    test(`${cluster.version}: the recommended rules deny ${method} ${path}`, async () => {
      const { status, body: answer } = await guarded.send(method, `/raw-backend${path}`, {
        ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      assert.is(status, 403);
      assert.is(answer.error.code, "forbidden");
    });
  }

  test(`${cluster.version}: the recommended rules let no call reach a document of an index with a dot, whose every key may do all`, async () => {
    const canary = `canary${uniqueIndex("x").replaceAll("-", "")}`;
    const [dot, plain, alias] = [`.${uniqueIndex("dot")}`, uniqueIndex("plain"), uniqueIndex("alias")];
    const word = { who: canary, list: [canary] };
    for (const index of [dot, plain]) await request(cluster, "PUT", `/${index}/_doc/1?refresh=true`, word);
    await request(cluster, "PUT", `/${plain}/_doc/1?refresh=true`, { who: canary, n: 1 });
    await connectToItself(cluster);
    const names = { dot, plain, alias, canary };
    const call = (target: TestGateway, [method, path, body]: RawCall) =>
      target.send(method, `/raw-backend${path}`, {
        ...(body !== undefined && {
          body: typeof body === "string" ? body : JSON.stringify(body),
          headers: { "content-type": typeof body === "string" ? "application/x-ndjson" : "application/json" },
        }),
      });
    const state = await request(cluster, "GET", `/${dot}/_search?version=true`);
    const passed: unknown[] = [];
    for (const one of callsToDot(names)) {
      const { status, text, body } = await call(guarded, one);
      if (status !== 403 || body.error.cause.rule !== "deny" || text.includes(canary)) passed.push([one, status, text]);
    }
    assert.equal(passed, []);
    const after = await request(cluster, "GET", `/${dot}/_search?version=true`);
    assert.equal((after.body as Hits).hits, (state.body as Hits).hits);

    for (const one of harmlessCalls(names)) {
      const { status, text } = await call(guarded, one);
      // The cluster itself refuses to read and write one index with _reindex.
      assert.ok(status < 300 || (status === 400 && one[1] === "/_reindex"), `${one[1]} ${status} ${text}`);
    }
    const wildcard = await call(guarded, ["POST", "/*/_search", {}]);
    assert.match(wildcard.text, "append ,-.*");
    for (const index of [dot, plain, alias]) await request(cluster, "DELETE", `/${index}`);
  });

  test(`${cluster.version}: a custom rule denies by the decoded path and says what it denies, and the cluster is not called`, async () => {
    const doc = `/raw-backend/${own}/_doc/a%2Fb?refresh=true`;
    const json = { "content-type": "application/json" };
    assert.is((await ruled.send("PUT", doc, { body: "{}", headers: json })).status, 201);
    for (const path of [doc, doc.replace("_doc", "%5Fdoc")]) {
      const { status, body } = await ruled.send("DELETE", path);
      assert.is(status, 403);
      assert.is(body.error.code, "forbidden");
      assert.match(body.error.message, `DELETE /${own}/_doc/a/b is not allowed here.`);
    }
    assert.is((await ruled.send("GET", doc)).status, 200, "it is still there");
    assert.is((await ruled.send("GET", "/raw-backend/_cat/indices")).status, 403);
    assert.is((await ruled.send("GET", "/raw-backend/_cat")).status, 200);
    assert.is((await ruled.send("DELETE", `/raw-backend/${own}`)).status, 200);
  });

  for (const rule of ["post", "put"]) {
    test(`${cluster.version}: creating an index by POST is denied by a rule on ${rule.toUpperCase()}`, async () => {
      const { status } = await ruled.send("POST", `/raw-backend/${own}-${rule}`);
      assert.is(status, 403);
      assert.is((await request(cluster, "HEAD", `/${own}-${rule}`)).status, 404);
    });
  }

  test(`${cluster.version}: the recommended rules allow everyday calls`, async () => {
    const index = uniqueIndex("day");
    assert.is((await guarded.send("PUT", `/raw-backend/${index}`)).status, 200);
    assert.is((await guarded.send("GET", "/raw-backend/_cat/indices")).status, 200);
    assert.is((await guarded.send("DELETE", `/raw-backend/${index}`)).status, 200);
  });
}

/** Sends a path unchanged; `fetch` would resolve its dots. */
async function rawPath(url: string, path: string) {
  const { request: send } = await import("node:http");
  const { json } = await import("node:stream/consumers");
  return new Promise<{ status: number; body: { error: { code: string } } }>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    send({ hostname, port, path, headers: { "x-api-key": API_KEY } }, async (answer) => {
      resolve({ status: answer.statusCode ?? 0, body: (await json(answer)) as { error: { code: string } } });
    })
      .on("error", reject)
      .end();
  });
}

test.after(async () => {
  for (const gateway of gateways) await gateway.stop();
  await upstreams.stop();
});

test.run();
