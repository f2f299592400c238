import { randomUUID } from "node:crypto";
import * as assert from "uvu/assert";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { cleaning } from "../runner/shared-opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("test runner: indexes of a file that has ended");

for (const cluster of await clusters()) {
  test(`${cluster.version}: are deleted with those that begin with their names, and no others`, async () => {
    const own = uniqueIndex("kept");
    const word = randomUUID().slice(0, 8);
    const left = [`left-${word}-001`, `left-${word}-001-v2`];
    for (const index of [own, ...left]) assert.is((await request(cluster, "PUT", index)).status, 200);
    await cleaning([cluster.url])(word);
    const statuses = [own, ...left].map(async (index) => (await request(cluster, "HEAD", index)).status);
    assert.equal(await Promise.all(statuses), [200, 404, 404]);
  });

  test(`${cluster.version}: names contain the word that the runner knows the file by`, () => {
    const word = process.env.TEST_FILE;
    if (word !== undefined) assert.match(uniqueIndex("a"), `a-${word}-`);
    assert.is.not(uniqueIndex("a"), uniqueIndex("a"));
  });
}

test.run();
