import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { loadConfiguration } from "../../lib/settings/load.ts";
import type { DevState } from "../../packages/local/dev/state-file.ts";
import { type DevProcess, startDev } from "../../packages/local/test/dev/dev-process.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { LAYOUTS } from "../../packages/start/test/layouts.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

/** `relevance start` in an empty folder: a shop's file becomes a search whose page has a key of its own. */
const test = suite("relevance start");

const folder = scratchFolder(TEST_OUTPUT, "start");
const index = uniqueIndex("goods");
const [cluster] = await clusters();
assert.ok(cluster);

let start: DevProcess;
let state: DevState;

test.before(async () => {
  writeFileSync(join(folder, `${index}.csv`), LAYOUTS[0]?.text ?? "");
  start = begin(`${index}.csv`);
  state = await start.ready();
});

test.after(async () => {
  start?.interrupt();
  await start?.exited;
  await request(cluster, "DELETE", `/${index}-*`);
});

const begin = (file: string) =>
  startDev(
    join(folder, ".local"),
    [],
    { OPENSEARCH_URL: cluster.url },
    {
      command: [process.execPath, join(ROOT, "cli/main.ts"), "start", file],
      cwd: folder,
    },
  );

async function ask(path: string, body: object) {
  const answer = await fetch(`${state.search.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": state.keys?.[`${index}-page`] ?? "" },
    body: JSON.stringify({ index, ...body }),
  });
  assert.is(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as { search_response: { hits: { hits: { _id: string }[] } }; degraded?: unknown };
}

test("finds rows by words and meaning, filtered, with the page's key", async () => {
  const params = { Tags: ["tea"], variant_price_max: 500 };
  const found = await ask("/application/hybrid-search", {
    template: `${index}-meaning`,
    search_query: "tea pot",
    params,
  });
  const ids = found.search_response.hits.hits.map(({ _id }) => _id);
  assert.equal([ids[0], ids.toSorted(), found.degraded], ["tea-pot", ["tea-pot", "tray"], undefined]);
});

test("serves a page over the index", async () => {
  const [, url = ""] = /search page {2}(\S+)/.exec(start.output()) ?? [];
  const [page, script] = await Promise.all([fetch(url), fetch(`${url}/page.js`)]);
  assert.is(page.status, 200);
  assert.ok((await script.text()).includes(`${index}-meaning`));
});

test("writes a configuration that validates, and adds to it for the next file", async () => {
  start.interrupt();
  assert.is(await start.exited, 0);
  const before = readFileSync(join(folder, "conf.local/hybrid_search.yaml"), "utf8");
  writeFileSync(join(folder, "next.json"), LAYOUTS[3]?.text ?? "");
  start = begin("next.json");
  state = await start.ready();
  const after = readFileSync(join(folder, "conf.local/hybrid_search.yaml"), "utf8");
  for (const line of before.split("\n")) assert.ok(after.includes(line));
  loadConfiguration(join(folder, "conf.local"));
  assert.throws(() => loadConfiguration(join(folder, "conf")), /vpc_id/);
  await request(cluster, "DELETE", "/next-*");
});

test.run();
