import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { answersOf, FAILING, gatewayOf } from "../fixtures/recorded-answers.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

/** Answers of the gateway as it was before a page had stages (2de18896): alike on all versions, or by version. */
const RECORDED: Readonly<Record<string, string | Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(new URL("../fixtures/recorded-answers.json", import.meta.url), "utf8"),
);

const test = suite("answers without stages");
const upstreams = await startUpstreams();
upstreams.models.control.setFaults("dense_large_en_v1_5", [{ kind: "status", status: 400, containing: FAILING }]);

for (const cluster of await clusters()) {
  test(`${cluster.version}: are byte for byte those that were recorded before there were stages`, async () => {
    const index = uniqueIndex("recorded");
    const gateway = await startGateway(gatewayOf(cluster, index));
    const answers = await answersOf(gateway, cluster, index);
    assert.equal(Object.keys(answers), Object.keys(RECORDED));
    for (const [name, recorded] of Object.entries(RECORDED)) {
      const expected = typeof recorded === "string" ? recorded : recorded[cluster.version];
      assert.is(answers[name], expected, name);
    }
    await request(cluster, "DELETE", `/${index}`);
  });
}

test.after(stopStarted);
test.run();
