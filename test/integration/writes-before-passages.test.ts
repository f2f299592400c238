import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { startFaultProxy } from "../fixtures/fault-proxy.ts";
import { startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { writesOf, writtenIndex } from "../fixtures/recorded-writes.ts";
import { suite } from "../suite.ts";

/** What the gateway sent before texts could be split (fd058873), line by line. */
const RECORDED: readonly string[] = JSON.parse(
  readFileSync(new URL("../fixtures/recorded-writes.json", import.meta.url), "utf8"),
);

const test = suite("writes without chunking");
const upstreams = await startUpstreams();

for (const cluster of await clusters()) {
  test(`${cluster.version}: are sent byte for byte as those that were recorded before there were passages`, async () => {
    const index = uniqueIndex("sent");
    const proxy = await startFaultProxy(cluster.url);
    const gateway = await startGateway({ node: proxy.url, settings: { indexes: [writtenIndex(index)] } });
    try {
      assert.equal(await writesOf(gateway, { cluster, proxy, index }), RECORDED);
    } finally {
      await request(cluster, "DELETE", `/${index}`);
      await gateway.stop();
      await proxy.stop();
    }
  });
}

test.after(() => upstreams.stop());
test.run();
