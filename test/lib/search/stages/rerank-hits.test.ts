import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { type Random, seeded } from "../../../../lib/platform/statistics/random.ts";
import { createReranker } from "../../../../lib/search/rerank/create-reranker.ts";
import { orderBy, rerankStage } from "../../../../lib/search/stages/rerank-hits.ts";
import { playRandomPages, type Trial } from "../../../fixtures/page-stages.ts";
import { overlapClient } from "../../../fixtures/reranker.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/stages/rerank-hits");

const COHERE = "cohere.rerank-v3-5:0";
const RERANK = { model: COHERE, fields: ["title"], candidates: 20, timeout_ms: 1_000, by_default: true };
const cluster = { send: () => Promise.reject(new Error("unexpected")), close: async () => undefined };

type Search = Parameters<typeof rerankStage>[1];

/** What a test changes: `own` is what the request says of reranking. */
interface Asked extends Omit<Search, "request"> {
  own: Search["request"]["rerank"];
}

function wanted({ own, ...asked }: Partial<Asked> = {}, answer?: Parameters<typeof overlapClient>[0]) {
  const { client, calls } = overlapClient(answer);
  const reranker = createReranker({ model: COHERE, target: COHERE, client });
  const services = { cluster, reranker: async () => reranker };
  const page = { from: 0, size: 10 };
  const base = {
    index: "books",
    request: { rerank: own },
    entry: { rerank: RERANK },
    text: "red lamp",
    native: {},
    page,
  };
  return { ...rerankStage(services, { ...base, ...asked }), calls };
}

const hit = (_source: Record<string, unknown>, at: number) => ({ _index: "books", _id: `d${at}`, _score: 1, _source });
const hits = (...sources: Array<Record<string, unknown>>) => sources.map(hit);

test("hits come in the order of their scores; equal ones and those below the least keep theirs, without a score too", () => {
  assert.equal(orderBy([0.1, 0.9, 0.5, 0.9, 0.2], Number.NEGATIVE_INFINITY), [1, 3, 2, 4, 0]);
  assert.equal(orderBy([0.1, 0.9, 0.5, 0.9, 0.2], 0.5), [1, 3, 2, 0, 4]);
  assert.equal(orderBy([undefined, 0.2, undefined, 0.7], 0.5), [3, 0, 1, 2]);
  assert.equal(orderBy([undefined, -3, 2], Number.NEGATIVE_INFINITY), [2, 1, 0]);
  assert.equal(orderBy([], 0), []);
});

test("the model reads the fields of a hit, with all values of a list, joined by newlines", async () => {
  const entry = { rerank: { ...RERANK, fields: ["title", "parts.name", "year"] } };
  const { stage, calls } = wanted({ entry });
  const change = await stage?.run(
    hits(
      { title: "a table", parts: [{ name: "leg" }, { name: ["top", "nail"] }], year: 1912 },
      { title: "a red lamp" },
      {},
    ),
    deadlineIn(1_000),
  );
  assert.equal(change, { order: [1, 0, 2], usage: { calls: 1, units: 1, cached: 0 } });
  assert.equal(calls[0]?.texts, ["a table\nleg\ntop\nnail\n1912", "a red lamp"]);
});

test("fewer than two hits need no model, and hits without any text have no order", async () => {
  const { stage, calls } = wanted();
  assert.equal(await stage?.run(hits({ title: "a lamp" }), deadlineIn(1_000)), { order: [0] });
  const failed = await stage?.run(hits({}, {}), deadlineIn(1_000)).catch((error: Error) => error.message);
  assert.is(failed, "no hit has text in title");
  assert.is(calls.length, 0);
});

for (const [what, asked, isStage, reason] of [
  ["as configured", {}, true, undefined],
  ["without configuration", { entry: {} }, false, undefined],
  ["asked for without configuration", { entry: {}, own: {} }, false, "has no rerank for the index"],
  ["switched off", { own: { is_enabled: false } }, false, undefined],
  ["off by default", { entry: { rerank: { ...RERANK, by_default: false } } }, false, undefined],
  ["off by default, asked for", { entry: { rerank: { ...RERANK, by_default: false } }, own: {} }, true, undefined],
  ["no hits", { page: { from: 0, size: 0 }, own: {} }, false, undefined],
  ["a page that the cluster will refuse", { page: undefined, own: {} }, false, undefined],
  ["an order of its own", { native: { sort: ["year"] } }, false, undefined],
  ["an order of its own, asked for", { native: { sort: ["year"] }, own: {} }, false, "the request has its own sort"],
  ["no text", { text: null }, false, undefined],
  ["no text, asked for", { text: " ", own: { candidates: 5 } }, false, "the request has no text to search for"],
] as const satisfies ReadonlyArray<readonly [string, Partial<Asked>, boolean, string | undefined]>) {
  test(`a search ${what}: ${isStage ? "reranked" : reason ? "told why not" : "as it is"}`, () => {
    const { stage, declined } = wanted(asked);
    assert.is(stage !== undefined, isStage);
    if (reason === undefined) assert.is(declined, undefined);
    else assert.match(declined?.reason ?? "", reason);
  });
}

test("a request's candidates and least score replace those of the index", async () => {
  assert.is(wanted().stage?.window, 20);
  const { stage } = wanted({ own: { candidates: 3, min_score: 1 } });
  assert.is(stage?.window, 3);
  const change = await stage?.run(
    hits({ title: "lamp" }, { title: "table" }, { title: "red lamp" }),
    deadlineIn(1_000),
  );
  assert.equal(change?.order, [2, 0, 1]);
  const zero = await wanted({ own: { min_score: 0 }, entry: { rerank: { ...RERANK, min_score: 1 } } }).stage?.run(
    hits({ title: "table" }, { title: "lamp" }),
    deadlineIn(1_000),
  );
  assert.equal(zero?.order, [1, 0]);
});

/** Set PAGE_SEARCHES to play more. */
const SEARCHES = Number(process.env.PAGE_SEARCHES ?? 300);

test(`${SEARCHES} random searches with rerankers that work, fail, are late or answer nonsense show each hit once`, async () => {
  for (let seed = 1; seed <= SEARCHES; seed += 1) {
    const random = seeded(seed);
    const wrong = await playRandomPages(random, [randomRerank(random)]);
    assert.equal(wrong, [], `seed ${seed}`);
  }
});

/** A score of a text by its characters. */
const scoreOf = (text: string, seed: number) =>
  [...text].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) % 97, seed) / 97;

/** Returns a stage with a reranker that scores titles by their characters, or that does what no reranker should. */
function randomRerank(random: Random): Trial {
  const below = (most: number) => Math.floor(random() * most);
  const kind = ["works", "works", "works", "fails", "late", "nonsense"][below(6)] as string;
  const least = random() < 0.3 ? random() : undefined;
  const window = 1 + below(30);
  const seed = below(97);
  const chance = random();
  const { stage } = wanted(
    {
      entry: {
        rerank: { ...RERANK, candidates: window, timeout_ms: kind === "late" ? 3 : 10_000, batch_size: 1 + below(30) },
      },
      ...(least !== undefined && { own: { min_score: least } }),
    },
    async ({ texts }) => {
      const results = texts.map((text, index) => ({ index, relevance_score: scoreOf(text, seed) }));
      if (kind === "fails") throw new Error("broken");
      if (kind === "late") await new Promise(() => undefined);
      if (kind === "nonsense") return NONSENSE[Math.floor(chance * NONSENSE.length)]?.(results);
      return { results };
    },
  );
  if (!stage) throw new Error("the search is not reranked");
  return {
    kind: `rerank ${kind}`,
    stage,
    change: (ids) => {
      const head = ids.slice(0, window);
      if (head.length < 2) return { ids: [...ids], added: [], hidden: [] };
      if (kind !== "works") return undefined;
      const isGood = (id: string) => scoreOf(id, seed) >= (least ?? 0);
      // A stable sort keeps equal scores in their order.
      const good = head.filter(isGood).sort((a, b) => scoreOf(b, seed) - scoreOf(a, seed));
      return { ids: [...good, ...head.filter((id) => !isGood(id)), ...ids.slice(window)], added: [], hidden: [] };
    },
  };
}

type Result = { index: number; relevance_score: number };

/** Answers that are not exactly one score for each text. */
const NONSENSE: ReadonlyArray<(results: Result[]) => unknown> = [
  (results) => ({ results: results.slice(1) }),
  (results) => ({ results: [...results, { index: results.length, relevance_score: 1 }] }),
  (results) => ({ results: results.map((one, at) => (at === 0 ? { ...one, index: -1 } : one)) }),
  (results) => ({ results: results.map((one, at) => (at === 0 ? { ...one, index: results.length } : one)) }),
  (results) => ({ results: results.map((one, at) => (at === 0 ? { ...one, relevance_score: null } : one)) }),
  (results) => ({ results: results.map((one) => ({ ...one, relevance_score: "1" })) }),
  (results) => results,
  () => ({}),
  () => "nothing",
];

test.run();
