import * as assert from "uvu/assert";
import { OPEN } from "../../../../lib/platform/http/access.ts";
import type { ProxyEvent } from "../../../../lib/platform/http/event.ts";
import type { GatewayServices } from "../../../../lib/search/gateway/services.ts";
import type { Cluster } from "../../../../lib/search/opensearch/cluster.ts";
import { createIndexCatalog } from "../../../../lib/search/opensearch/index-catalog.ts";
import { rawBackend } from "../../../../lib/search/raw/raw-backend.ts";
import { suite } from "../../../suite.ts";

const test = suite("raw writes and the catalog of indexes");

const described = (index: string, alias?: string) => ({
  [index]: { aliases: alias === undefined ? {} : { [alias]: {} }, mappings: {}, settings: {} },
});
const INDEXES: Record<string, object> = {
  "/books": described("books-1", "books"),
  "/music": described("music"),
  "/books,music": { ...described("books-1", "books"), ...described("music") },
};
const deadline = { remaining: () => 10_000 };
const json = { "content-type": "application/json" };

/** Returns how many of the three expressions the gateway asks the cluster about again after raw calls. */
async function askedAgain(...calls: Array<[method: string, path: string, body?: string, status?: number]>) {
  let asked = 0;
  let status = 201;
  const cluster: Cluster = {
    async send({ method, path }) {
      const index = INDEXES[decodeURIComponent(path)];
      if (method !== "GET" || !index) return { status, headers: {}, body: Buffer.from("{}") };
      asked += 1;
      return { status: 200, headers: json, body: Buffer.from(JSON.stringify(index)) };
    },
  };
  const catalog = createIndexCatalog(cluster);
  const resolve = async () => {
    for (const path of Object.keys(INDEXES)) await catalog.resolve(path.slice(1), deadline);
  };
  await resolve();
  const services = { cluster, catalog, settings: { raw_backend_deny: [] } } as unknown as GatewayServices;
  const serve = rawBackend(services);
  const counts: number[] = [];
  for (const [httpMethod, path, body = "", answered = 201] of calls) {
    asked = 0;
    status = answered;
    const event = { httpMethod, path: `/raw-backend${path}`, headers: json } as unknown as ProxyEvent;
    const call = { bytes: Buffer.from(body), headers: json, deadline, caller: OPEN, requestId: "r" };
    await serve(event, call as unknown as Parameters<typeof serve>[1]);
    await resolve();
    counts.push(asked);
  }
  return counts;
}

test("documents of an index that exists leave it as it is, by its name and by its alias", async () => {
  assert.equal(await askedAgain(["POST", "/books/_doc", "{}"], ["PUT", "/books-1/_doc/1", "{}"]), [0, 0]);
  const bulk = '{"index":{"_index":"music"}}\n{"title":"\\u00e9"}\n';
  assert.equal(await askedAgain(["POST", "/_bulk", bulk], ["POST", "/books/_bulk", bulk]), [0, 0]);
  assert.equal(await askedAgain(["POST", "/books/_refresh"], ["POST", "/books/_delete_by_query", "{}"]), [0, 0]);
});

test("documents of an index that is not known drop everything once, since they may create it", async () => {
  assert.equal(await askedAgain(["POST", "/new/_doc", "{}"], ["POST", "/new/_doc", "{}"]), [3, 0]);
  assert.equal(await askedAgain(["POST", "/new/_doc", "{}", 404], ["POST", "/new/_doc", "{}"]), [3, 3]);
  const hidden = '{"index":{"_\\u0069ndex":"new"}}\n{}\n';
  assert.equal(await askedAgain(["POST", "/books/_bulk", hidden]), [3]);
  assert.equal(await askedAgain(["POST", "/books/_bulk", '{"index":{"_index":"n\\u0065w"}}\n{}\n']), [3]);
  assert.equal(await askedAgain(["POST", "/_bulk", '{"index":{"_index" : "new"}}\n{}\n']), [3]);
});

test("a mapping or settings drop what holds the index", async () => {
  assert.equal(await askedAgain(["PUT", "/music/_mapping", "{}"]), [2]);
  assert.equal(await askedAgain(["PUT", "/books/_settings", "{}", 500]), [2]);
  assert.equal(await askedAgain(["PUT", "/mus*/_settings", "{}"], ["PUT", "/_all/_mapping", "{}"]), [3, 3]);
});

test("a new, deleted or moved index drops everything, and so does a call that is not known", async () => {
  const calls: Array<[string, string, string?]> = [
    ["PUT", "/new", "{}"],
    ["DELETE", "/music"],
    ["POST", "/_aliases", "{}"],
    ["PUT", "/music/_alias/a"],
    ["POST", "/music/_rollover", "{}"],
    ["POST", "/_reindex", "{}"],
  ];
  for (const call of calls) assert.equal(await askedAgain(call), [3], call.join(" "));
});

test.run();
