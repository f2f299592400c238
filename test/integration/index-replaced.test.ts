import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import type { Run } from "../cli/run-cli.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { indexCli, toGateway } from "../fixtures/index-cli.ts";
import { type Cluster, clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("rebuild of an index without an alias");
const folder = scratchFolder(TEST_OUTPUT, "index-replaced");
const conf = join(folder, "conf");
mkdirSync(conf);

/** Starts the command as a user does. */
function start(url: string, ...args: string[]) {
  const ended = Promise.withResolvers<Run>();
  const command = ["cli/main.ts", "index", ...args, ...toGateway(conf, url)];
  const child = execFile(process.execPath, command, { cwd: ROOT }, (error, out, err) => {
    ended.resolve({ code: Number(error?.code ?? 0), out, err });
  });
  return { child, ended: ended.promise };
}

const count = async (cluster: Cluster, name: string) => {
  await request(cluster, "POST", `/${name}/_refresh`);
  return (await request<{ count: number }>(cluster, "GET", `/${name}/_count`)).body.count;
};

const DOCUMENTS = 20_000;

for (const cluster of await clusters()) {
  test(`${cluster.version}: stops on Ctrl-C, catches up without switching, and takes the index's name when told to`, async () => {
    const name = uniqueIndex("named");
    const gateway = await startGateway({
      node: cluster.url,
      key: { endpoints: ["administration"], indexes: [`${name}*`] },
    });
    await request(cluster, "PUT", `/${name}`, { settings: { number_of_shards: 1, number_of_replicas: 0 } });
    const lines = Array.from({ length: DOCUMENTS }, (_, id) => `{"index":{"_id":"${id}"}}\n{"n":${id}}\n`);
    await request(cluster, "POST", `/${name}/_bulk?refresh=true`, lines.join(""));
    const schema = join(folder, `${name}.json`);
    writeFileSync(schema, JSON.stringify({ mappings: { properties: { n: { type: "long" } } } }));

    const { run } = indexCli(conf, gateway.url);
    const refused = await run("rebuild", "--index", name, "--schema", schema);
    assert.is(refused.code, 1);
    assert.match(refused.err, "add --replace-index");
    assert.is(await count(cluster, name), DOCUMENTS);

    const options = ["--index", name, "--schema", schema, "--replace-index", "--no-switch"];
    const left = start(gateway.url, "rebuild", ...options);
    // The run cannot finish, because its new index takes no writes.
    const target = await waitFor(
      async () => {
        const { body } = await request<object>(cluster, "GET", `/${name}-*/_alias`);
        return Object.entries(body as Record<string, { aliases: object }>).find(
          ([, { aliases }]) => Object.keys(aliases).length > 0,
        )?.[0];
      },
      { what: "the new index", timeoutMs: 60_000 },
    );
    const block = (value: boolean | null) =>
      request(cluster, "PUT", `/${target}/_settings`, { "index.blocks.write": value });
    await block(true);
    left.child.kill("SIGINT");
    const { code, err } = await left.ended;
    assert.is(code, 1, err);
    const [, id = ""] = /Stopping. Resume the run with: relevance index rebuild --resume (\S+)/.exec(err) ?? [];
    assert.ok(id !== "", err);
    assert.match((await run("status", "--run", id)).out, "copy");

    await block(null);
    const ready = await run("rebuild", "--resume", id, "--no-switch");
    assert.is(ready.code, 0, ready.err);
    assert.match(ready.out, `${target} has caught up. Switch to it with: relevance index switch --run ${id}`);
    assert.is((await request(cluster, "HEAD", `/_alias/${name}`)).status, 404, "the name is still the old index");

    await request(cluster, "PUT", `/${name}/_doc/late`, { n: -1 });
    await request(cluster, "DELETE", `/${name}/_doc/7`);
    const switched = await run("switch", "--run", id);
    assert.is(switched.code, 0, switched.err);
    const behind = await request<object>(cluster, "GET", `/_alias/${name}`);
    assert.equal(Object.keys(behind.body), [target]);
    assert.is(await count(cluster, name), DOCUMENTS);
    assert.is((await request(cluster, "GET", `/${name}/_doc/late`)).status, 200);
    assert.is((await request(cluster, "GET", `/${name}/_doc/7`)).status, 404);
    const back = await run("switch", "--run", id, "--back", "--yes");
    assert.is(back.code, 1);
    assert.match(back.err, "was deleted by the switch");
  });
}

test.after(stopStarted);

test.run();
