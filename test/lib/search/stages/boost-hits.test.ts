import * as assert from "uvu/assert";
import * as v from "valibot";
import { type Random, seeded, shuffled } from "../../../../lib/platform/statistics/random.ts";
import { searchedPage } from "../../../../lib/search/page/searched-page.ts";
import { NO_EFFECTS } from "../../../../lib/search/rules/effects.ts";
import { boostStage } from "../../../../lib/search/stages/boost-hits.ts";
import { Boost } from "../../../../lib/settings/boost.ts";
import { listedCluster } from "../../../fixtures/page-stages.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/stages/boost-hits");

const popular = (field: string, weight = 1) =>
  v.parse(Boost, { factors: [{ field, number: { function: "sqrt", cap: 100 }, weight }] });

/** A cluster whose documents have these values, as `docvalue_fields` returns them. */
const documents = (values: ReadonlyMap<string, Readonly<Record<string, unknown>>>, sent: unknown[] = []) => ({
  close: async () => undefined,
  send: async ({ body }: { body?: unknown }) => {
    const search = JSON.parse(String(body));
    sent.push(search.docvalue_fields);
    const hits = search.query.ids.values.flatMap((_id: string) => {
      const found = values.get(_id);
      const fields = Object.fromEntries(Object.entries(found ?? {}).map(([field, value]) => [field, [value].flat()]));
      return found ? [{ _index: "books", _id, _score: 1, fields }] : [];
    });
    const answer = { timed_out: false, _shards: { total: 1, failed: 0 }, hits: { hits } };
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) };
  },
});

type Search = Parameters<typeof boostStage>[1];
const stageOf = (changes: Partial<Search>, cluster: object = documents(new Map())) =>
  boostStage({ cluster } as Parameters<typeof boostStage>[0], {
    ...{ index: "books", request: {}, entry: { candidates: 100 }, effects: NO_EFFECTS, native: {} },
    ...{ page: { from: 0, size: 10 }, ...changes },
  });

test("a request's boost comes before that of a rule, and that before the entry's; {} is none", async () => {
  const entry = { candidates: 1_000, boost: popular("entry") };
  const effects = { ...NO_EFFECTS, boostHits: popular("rule") };
  for (const [changes, field] of [
    [{ entry }, "entry"],
    [{ entry, effects }, "rule"],
    [{ entry, effects, request: { boost: popular("request") } }, "request"],
  ] as const) {
    const sent: unknown[] = [];
    const { stage } = stageOf(changes, documents(new Map(), sent));
    await stage?.run([{ _index: "books", _id: "a", _score: 1 }], { remaining: () => 1_000 });
    assert.equal([stage?.window, sent], [changes.entry.candidates === 1_000 ? 200 : 0, [[{ field }]]]);
  }
  assert.equal(stageOf({ entry, effects, request: { boost: v.parse(Boost, {}) } }), {});
});

test("a search with an order of its own keeps it, and says so only if it asked for a boost", () => {
  const native = { sort: ["year"] };
  assert.equal(stageOf({ native, entry: { candidates: 10, boost: popular("a") } }), {});
  assert.match(stageOf({ native, request: { boost: popular("a") } }).declined?.reason ?? "", "own sort");
});

/** Set PAGE_SEARCHES to play more. */
const PAGES = Number(process.env.PAGE_SEARCHES ?? 500);

test(`${PAGES} random pages are what the formula gives by hand, with the scores that explain it`, async () => {
  for (let seed = 1, pages = 0; pages < PAGES; seed += 1) pages += await playList(seeded(seed), seed);
});

/** Plays all pages of one random list. Returns how many there were. */
async function playList(random: Random, seed: number): Promise<number> {
  const below = (most: number) => Math.floor(random() * most);
  const drawn = Array.from({ length: below(60) }, (_, at) => `d${at}`);
  const ids = shuffled(drawn, random);
  const values = new Map(
    ids.map((id) => [
      id,
      random() < 0.2 ? {} : { sold: random() < 0.2 ? [below(150), below(150)] : below(150), stock: random() < 0.5 },
    ]),
  );
  const [sold, stock, missing, window, size, max] = [
    random() * 2,
    random() / 2,
    random(),
    1 + below(40),
    1 + below(20),
    45 + below(40),
  ];
  const mode = random() < 0.5 ? ("sum" as const) : ("product" as const);
  const factors = [
    { field: "sold", number: { function: "reciprocal", cap: 20 }, weight: sold, missing },
    { field: "stock", values: { true: 1, false: 0.25 }, weight: stock },
  ];
  const expected = ids.map((id, at) => {
    const own = values.get(id);
    const counts = own?.sold === undefined ? [] : [own.sold].flat();
    const bySold = counts.length === 0 ? missing : Math.min(1, 20 / Math.min(...counts.map((count) => count || 1)));
    const byStock = own?.stock === undefined ? 0 : own.stock ? 1 : 0.25;
    const relevance = 1 / (at + 1);
    const score =
      mode === "sum"
        ? relevance + sold * bySold + stock * byStock
        : relevance * (1 + sold * bySold) * (1 + stock * byStock);
    return { id, at, score, factors: [bySold, byStock] };
  });
  const head = expected.slice(0, window).sort((a, b) => b.score - a.score || a.at - b.at);
  const list = [...head, ...expected.slice(window, max)];
  const { stage } = stageOf(
    { entry: { candidates: window }, request: { boost: v.parse(Boost, { mode, factors }) } },
    documents(values),
  );
  const cluster = listedCluster(ids, max);
  let pages = 0;
  for (let from = 0; from + size <= max; from += size) {
    pages += 1;
    const { answer, stages, degraded } = await searchedPage({
      ...{ page: { from, size }, stages: stage ? [stage] : [], declined: [], maxResultWindow: async () => max },
      ...{ plain: () => cluster.searchPage({ from, size }), searchPage: cluster.searchPage },
      deadline: { remaining: () => 10_000 },
    });
    const shown = answer.hits.map(({ _id }) => _id);
    const wanted = list.slice(from, from + size);
    assert.equal([shown, degraded], [wanted.map(({ id }) => id), []], `seed ${seed}, from ${from}`);
    const told = stages[0]?.scores?.map(({ _id, score, factors }) => [_id, score, factors.map(({ value }) => value)]);
    const inWindow = wanted.filter(({ at }) => at < window);
    assert.equal(
      told ?? [],
      inWindow.map(({ id, score, factors }) => [id, score, factors]),
      `seed ${seed}, from ${from}`,
    );
  }
  return pages;
}

test.run();
