import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { loadConfiguration } from "../../lib/settings/load.ts";
import type { DevState } from "../../packages/local/dev/state-file.ts";
import { type DevProcess, startDev } from "../../packages/local/test/dev/dev-process.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
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

async function ask(path: string, body: object, name = index) {
  const answer = await fetch(`${state.search.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": state.keys?.[`${name}-page`] ?? "" },
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

test("takes the next file while it runs, and loses no request", async () => {
  const before = readFileSync(join(folder, "conf.local/hybrid_search.yaml"), "utf8");
  writeFileSync(join(folder, "next.json"), LAYOUTS[3]?.text ?? "");
  let asking = true;
  const asked = (async () => {
    for (let count = 0; ; count += 1) {
      if (!asking) return count;
      await ask("/application/search", { template: index, params: { query: "tea" } });
    }
  })();
  const next = begin("next.json");
  try {
    await waitFor(async () => next.output().includes("Ctrl-C stops this page"), {
      what: "the next file's page",
      timeoutMs: 120_000,
      abort: next.exited.then((code) => Promise.reject(new Error(`${code}: ${next.output()}`))),
      context: () => start.output() + next.output(),
    });
    asking = false;
    assert.ok((await asked) > 0);
    state = await start.ready();
    const found = await ask(
      "/application/search",
      { index: "next", template: "next", params: { query: "boat" } },
      "next",
    );
    assert.equal(
      found.search_response.hits.hits.map(({ _id }) => _id),
      ["2"],
    );
    const after = readFileSync(join(folder, "conf.local/hybrid_search.yaml"), "utf8");
    for (const line of before.split("\n")) assert.ok(after.includes(line));
    assert.throws(() => loadConfiguration(join(folder, "conf")), /vpc_id/);
  } finally {
    asking = false;
    if (next.output().includes("Ctrl-C stops")) next.interrupt();
    await next.exited;
    await request(cluster, "DELETE", "/next-*");
  }
});

test("says why it does not use a changed file, and goes on with the one before", async () => {
  const path = join(folder, "conf.local/api.yaml");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, `${text}nonsense: 1\n`);
  await waitFor(async () => /api\.yaml changed, and the gateway does not use it: .*nonsense/s.test(start.output()), {
    what: "the reason",
    timeoutMs: 60_000,
    context: () => start.output(),
  });
  await ask("/application/search", { template: index, params: { query: "tea" } });
});

test.run();
