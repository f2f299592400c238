import { tmpdir } from "node:os";
import * as assert from "uvu/assert";
import { createHandler } from "../../functions/suggestions/handler.ts";
import type { RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import type { ClusterRequest } from "../../lib/search/opensearch/cluster.ts";
import type { SuggestionsSettings } from "../../lib/search/suggest/run.ts";
import { MemoryStore } from "../lib/recommendation/etl/memory.ts";
import { suite } from "../suite.ts";

const PROBE = { kind: "cluster", name: "as suggestions", state: "works" } as const;

const test = suite("the function that builds suggestions");

const SLOW_MS = 14 * 60_000;
const SETTINGS: SuggestionsSettings = {
  indexes: [{ index: "books", suggest: { titles: { field: "title" }, never: [] } }],
  logging: { user_id: "none", query_text: false },
};

interface World {
  /** Titles of the present suggestions; undefined if there are none. */
  present: number | undefined;
  /** The titles of the index, by pages. The time of the run is over before the page with this number. */
  pages: readonly (readonly string[])[];
  slowPage?: number;
}

/** Builds suggestions with a cluster that answers so. Returns the result, the log's line, and what became of the indexes. */
async function built({ present, pages, slowPage }: World) {
  const { now } = Date;
  let page = 0;
  let passed = 0;
  const indexes = new Set<string>();
  let switched = false;
  const answer = ({ method, path, body }: ClusterRequest): Record<string, unknown> => {
    const [, name = "", action = ""] = decodeURIComponent(path).split("/");
    if (action === "_search" || action === "scroll") {
      if (page === slowPage) passed += SLOW_MS;
      const hits = (pages[page] ?? []).map((title) => ({ _source: { title } }));
      page += 1;
      return { _scroll_id: "s", hits: { hits } };
    }
    if (action === "_bulk") {
      const created = Array(String(body).split('{"create"').length - 1).fill({ create: { status: 201 } });
      // The first operation only keeps the cluster from creating an index.
      return { items: [{ update: { status: 404 } }, ...created] };
    }
    if (action === "_count") return present === undefined ? { status: 404 } : { count: present };
    if (name === "_aliases") switched = true;
    if (action === "" && method === "PUT") indexes.add(name);
    if (action === "" && method === "DELETE") indexes.delete(name);
    return {};
  };
  const calls = {
    json: async (request: ClusterRequest) => answer(request),
    send: async (request: ClusterRequest) => ({ status: 200, body: Buffer.from(JSON.stringify(answer(request))) }),
  } as unknown as RunCalls;
  const lines: string[] = [];
  const handler = createHandler(SETTINGS, {
    ...{ calls, store: new MemoryStore(), limits: { folder: tmpdir() } },
    probe: async () => PROBE,
    print: (line) => lines.push(line),
    now: () => new Date(),
  });
  Date.now = () => now() + passed;
  try {
    const outcome = await handler();
    const [result] = "built" in outcome ? outcome.built : [];
    const { level, message } = JSON.parse(lines[0] ?? "");
    return { result, line: [level, message], indexes: indexes.size, switched };
  } finally {
    Date.now = now;
  }
}

test("answers a probe with that of the cluster, and builds nothing", async () => {
  const clients = { probe: async () => PROBE } as unknown as Parameters<typeof createHandler>[1];
  assert.equal(await createHandler(SETTINGS, clients)({ probe: true }), [PROBE]);
});

const OLD_STAY = ["warn", "the old suggestions stay"];
const pages = [["a b", "c d"], ["e f", "g h"], ["i j"]];

test("switches to new suggestions with all titles, however many there were", async () => {
  const { result, line, indexes, switched } = await built({ present: 1_000, pages });
  assert.equal(result, { index: "books", searches: 0, titles: 5 });
  assert.equal([line, indexes, switched], [["info", "built suggestions"], 1, true]);
});

test("keeps the old suggestions if there was no time for any title, or for most of them", async () => {
  for (const [present, slowPage, titles] of [
    [5, 0, 0],
    [5, 1, 2],
  ] as const) {
    const { result, line, indexes, switched } = await built({ present, pages, slowPage });
    assert.equal(result, { index: "books", searches: 0, titles, titles_cut: true, kept: true });
    assert.equal([line, indexes, switched], [OLD_STAY, 0, false]);
  }
});

test("switches to suggestions without all titles if the old ones have not many more, or none", async () => {
  for (const [present, slowPage, titles] of [
    [5, 2, 4],
    [undefined, 1, 2],
    [undefined, 0, 0],
    [0, 0, 0],
  ] as const) {
    const { result, indexes, switched } = await built({ present, pages, slowPage });
    assert.equal(result, { index: "books", searches: 0, titles, titles_cut: true });
    assert.equal([indexes, switched], [1, true]);
  }
});

test.run();
