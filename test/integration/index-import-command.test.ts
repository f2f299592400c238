import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import type { Run } from "../cli/run-cli.ts";
import { runHere } from "../cli/run-here.ts";
import { corpus } from "../fixtures/corpus.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { indexCli, toGateway, writeConf } from "../fixtures/index-cli.ts";
import { clusters, request, uniqueIndex, writesTo } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("relevance index import");
const folder = scratchFolder(TEST_OUTPUT, "index-import-command");
await startUpstreams();

for (const cluster of await clusters()) {
  test(`${cluster.version}: imports with embeddings, stops on Ctrl-C, and resumes`, async () => {
    const index = uniqueIndex("embedded");
    const conf = join(folder, `conf-${cluster.version}`);
    writeConf(conf, { dense_large_en_v1_5: { endpoint_name: "dense" }, sparse_v3: { endpoint_name: "sparse" } }, [
      { index, embedding_mappings: hybridIndex(index).embedding_mappings },
    ]);
    const gateway = await startGateway({
      node: cluster.url,
      settings: { indexes: [hybridIndex(index)] },
      key: { endpoints: ["administration", "bulk"] },
    });
    await request(cluster, "PUT", `/${index}`, HYBRID_MAPPING);
    const documents = corpus(700).map(({ id, doc }) => ({ id, ...doc, year: 2000 }));
    const file = join(folder, `${index}.ndjson`);
    writeFileSync(file, documents.map((one) => JSON.stringify({ isbn: one.id, text: one.text })).join("\n"));
    const { run } = indexCli(conf, gateway.url);
    const start = (...args: string[]) => {
      const ended = Promise.withResolvers<Run>();
      const command = ["cli/main.ts", "index", ...args, ...toGateway(conf, gateway.url)];
      const child = execFile(process.execPath, command, { cwd: ROOT }, (error, out, err) =>
        ended.resolve({ code: Number(error?.code ?? 0), out, err }),
      );
      return { child, ended: ended.promise };
    };

    const left = start("import", "--index", index, "--from", file, "--format", "documents", "--id-field", "isbn");
    await waitFor(async () => (await writesTo(cluster, index)) > 0, { what: "the first documents", timeoutMs: 60_000 });
    left.child.kill("SIGINT");
    const { code, err } = await left.ended;
    assert.is(code, 1, err);
    const [, id = ""] = /Resume the run with: relevance index import --resume (\S+)/.exec(err) ?? [];
    assert.match((await run("status")).out, id);
    const resumed = await run("import", "--resume", id);
    assert.is(resumed.code, 0, resumed.err);
    assert.match(resumed.out, /^700 read, \d+ written, \d+ unchanged, 0 rejected/);
    const { body } = await request<{ count: number }>(cluster, "POST", `/${index}/_count`, {
      query: { exists: { field: "text_dense" } },
    });
    assert.is(body.count, 700);
    assert.is(await writesTo(cluster, index), 700, "nothing is written twice");
    assert.match((await run("cancel", "--run", id, "--forget")).out, "Deleted the records");
  });

  test(`${cluster.version}: an import, a backfill and a rebuild are refused if the gateway has another configuration`, async () => {
    const [index, alias] = [uniqueIndex("other"), uniqueIndex("alias")];
    const [conf, none] = [join(folder, index), join(folder, `${index}-none`)];
    for (const [path, entries] of [
      [conf, [index, alias]],
      [none, ["something-else"]],
    ] as const) {
      const [dense] = hybridIndex(index).embedding_mappings;
      const queries = entries.map((name) => ({ index: name, embedding_mappings: [dense] }));
      writeConf(path, { dense_large_en_v1_5: { endpoint_name: "dense" } }, queries);
    }
    const gateway = await startGateway({
      node: cluster.url,
      settings: { indexes: [hybridIndex("of-another-project")] },
      key: { endpoints: ["administration", "bulk"] },
    });
    await request(cluster, "PUT", `/${index}`, HYBRID_MAPPING);
    const { properties } = HYBRID_MAPPING.mappings;
    const schema = join(conf, "schema.json");
    writeFileSync(schema, JSON.stringify({ mappings: { properties: { text: properties.text } } }));
    const ours = indexCli(conf, gateway.url);
    const created = await ours.run("create", "--index", alias, "--schema_file_path", schema);
    assert.is(created.code, 0, created.err);
    const file = join(folder, `${index}.csv`);
    writeFileSync(file, "isbn,text\nb1,the salt road\n");
    const refused = "The gateway does not embed text into text_dense";
    const from = ["--from", file, "--id-field", "isbn"];

    for (const name of [index, alias]) {
      const imported = await ours.run("import", "--index", name, ...from);
      assert.is(imported.code, 1);
      assert.match(imported.err, `${refused} of ${name}`);
      assert.is(await writesTo(cluster, name === alias ? (created.out.match(/Created (\S+)/)?.[1] ?? "") : name), 0);
    }
    await request(cluster, "PUT", `/${alias}/_doc/b1?refresh=true`, { text: "the salt road" });
    const filled = await runHere(["backfill", "--index", alias, ...toGateway(conf, gateway.url)]);
    assert.equal([filled.code, filled.err.includes(refused)], [1, true], filled.err);
    const rebuilt = await ours.run("rebuild", "--index", alias, "--embed");
    assert.equal([rebuilt.code, rebuilt.err.includes(refused)], [1, true], rebuilt.err);
    const [, run = ""] = /Run (\S+) copies/.exec(rebuilt.err) ?? [];
    assert.equal((await ours.run("rebuild", "--resume", run)).code, 1, "a resumed run is refused, too");

    const past = await indexCli(none, gateway.url).run("import", "--index", alias, ...from);
    assert.is(past.code, 2, past.err);
    assert.match(
      past.err,
      `${alias} has embeddings in text_dense, and hybrid_search.yaml in ${none} has no entry for it`,
    );
  });

  test(`${cluster.version}: an alias that exists is not created again, and its writes go on`, async () => {
    const alias = uniqueIndex("twice");
    const conf = join(folder, alias);
    const mappings = [{ embedding_field: "text_sparse", model_name: "sparse_v3", src_fields: ["text"] }];
    writeConf(conf, { sparse_v3: { endpoint_name: "sparse" } }, [{ index: alias, embedding_mappings: mappings }]);
    const gateway = await startGateway({
      node: cluster.url,
      key: { endpoints: ["administration"], indexes: [`${alias}*`] },
    });
    const schema = join(conf, "schema.json");
    writeFileSync(schema, JSON.stringify({ mappings: { properties: { text: { type: "text" } } } }));
    const { run } = indexCli(conf, gateway.url);
    const create = () => run("create", "--index", alias, "--schema_file_path", schema);
    const [first, again] = [await create(), await create()];
    assert.equal([first.code, again.code], [0, 1], first.err);
    const { body } = await request<object>(cluster, "GET", `/${alias}/_alias`);
    assert.is(first.out.trim(), `Created ${Object.keys(body).join()} behind the alias ${alias}`);
    assert.match(again.err, `${alias} stands for ${Object.keys(body)[0]}: change that with`);
    assert.is((await request(cluster, "PUT", `/${alias}/_doc/1`, { text: "x" })).status, 201);
  });
}

test.after(stopStarted);

test.run();
