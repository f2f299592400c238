import * as assert from "uvu/assert";
import { connectToItself } from "../fixtures/access-world.ts";
import { callsToDot, harmlessCalls, type RawCall } from "../fixtures/dot-calls.ts";
import { startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("raw backend");

interface Hits {
  hits: unknown;
}
await startUpstreams();

for (const cluster of await clusters()) {
  let guarded: TestGateway;
  let ruled: TestGateway;
  const own = uniqueIndex("own");

  test.before(async () => {
    guarded = await startGateway({ node: cluster.url, settings: { raw_backend_deny: "recommended" } });
    const raw_backend_deny = [`POST /${own}-post`, `PUT /${own}-put`, `DELETE /${own}/_doc/*`, "* /_cat/*"];
    ruled = await startGateway({ node: cluster.url, settings: { raw_backend_deny } });
  });

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
}

test.after(stopStarted);

test.run();
