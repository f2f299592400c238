import * as assert from "uvu/assert";
import { seeded, shuffled } from "../../../../lib/platform/statistics/random.ts";
import type { Hit } from "../../../../lib/search/page/answer.ts";
import { searchedPage } from "../../../../lib/search/page/searched-page.ts";
import type { Stage } from "../../../../lib/search/page/stage.ts";
import { ruleBook } from "../../../../lib/search/rules/book.ts";
import { effectsOf } from "../../../../lib/search/rules/combined.ts";
import { withEffects } from "../../../../lib/search/rules/queries.ts";
import { rulesStage, withPins } from "../../../../lib/search/stages/pin-documents.ts";
import { foundHit, listedCluster } from "../../../fixtures/page-stages.ts";
import { COLORS, expectedList, matches, randomRules, ruleDocuments } from "../../../fixtures/rule-world.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/stages/pin-documents");

/** Set RULE_SEARCHES to play more. */
const SEARCHES = Number(process.env.RULE_SEARCHES ?? 1_000);

/** Plays one random search with random rules over all its pages. Returns what is wrong. */
async function playRules(seed: number): Promise<string[]> {
  const random = seeded(seed);
  const below = (most: number) => Math.floor(random() * most);
  const documents = ruleDocuments(below(50));
  const facts = { text: "lamp", names: ["books"], template: null, params: null, native: {}, key: "web", now: 0 };
  const effects = effectsOf(ruleBook(randomRules(random, documents.length)).matching(facts), { hasText: true });
  const filter = random() < 0.5 ? [{ term: { color: COLORS[below(3)] } }] : [];
  const query = { bool: { must: [{ match: { title: "lamp" } }], filter } };
  const found = shuffled(documents, random)
    .filter((document) => random() < 0.7 && matches(document, withEffects(query, effects)))
    .map(({ id }) => id);
  const { searchPage } = listedCluster(found, 1_000);
  const fails = random() < 0.1;
  const services = {
    cluster: {
      async send({ body }: { body: string }) {
        const search = JSON.parse(body);
        const hits = documents.filter((one) => matches(one, search.query)).map(({ id }) => foundHit(id, 0).hit);
        const _shards = fails ? { total: 2, failed: 1 } : { total: 1, failed: 0 };
        const answer = { timed_out: false, _shards, hits: { hits: hits.slice(0, search.size) } };
        return { status: 200, headers: [], body: Buffer.from(JSON.stringify(answer)) };
      },
    },
  };
  const size = 1 + below(12);
  const window = 1 + below(30);
  const reversed: Stage = {
    ...{ name: "variety", window, budgetMs: 1_000, effect: "reorders", lost: "", told: false },
    run: async (hits) => ({ order: [...hits.keys()].reverse() }),
  };
  const isReversed = random() < 0.5;
  const ordered = isReversed ? [...found.slice(0, window).reverse(), ...found.slice(window)] : found;
  const seen: string[] = [];
  const wrong: string[] = [];
  let failed = false;
  for (let from = 0; from === 0 || seen.length >= from; from += size) {
    const page = { from, size };
    const pins = { body: () => JSON.stringify({ query }) };
    const asked = { index: "books", effects, filters: [], native: {}, pins, page };
    const { stage } = rulesStage(services as never, asked);
    const stages = [...(stage ? [stage] : []), ...(isReversed ? [reversed] : [])];
    const { answer, degraded } = await searchedPage({
      ...{ page, stages, declined: [], searchPage, plain: () => searchPage(page) },
      ...{ maxResultWindow: async () => 1_000, deadline: { remaining: () => 10_000 } },
    });
    failed ||= degraded.some((one) => one.stage === "rules");
    if (answer.total?.value !== found.length) wrong.push("another total");
    seen.push(...answer.hits.map(({ _id }: Hit) => _id));
    if (answer.hits.length < size) break;
  }
  const expected = failed ? ordered : expectedList(ordered, effects, documents, filter);
  if (failed && !fails) wrong.push("degraded, though nothing failed");
  if (seen.join() !== expected.join()) wrong.push(`hits ${seen.join()}, not ${expected.join()}`);
  if (new Set(seen).size !== seen.length) wrong.push("a hit is shown twice");
  for (const id of seen) {
    const document = documents.find((one) => one.id === id);
    const isHidden = effects.hiddenIds.includes(id) || effects.hidden.some((one) => document && matches(document, one));
    if (isHidden) wrong.push(`the hidden hit ${id} is shown`);
    const ignores = effects.pins.some((pin) => pin.id === id && pin.ignore_filters);
    if (!ignores && document && !matches(document, { bool: { filter: [...filter, ...effects.filters] } })) {
      wrong.push(`${id} does not pass the filters`);
    }
  }
  return wrong;
}

test(`${SEARCHES} random searches show each hit once, pins at their places, and nothing hidden`, async () => {
  for (let seed = 1; seed <= SEARCHES; seed += 1) assert.equal(await playRules(seed), [], `seed ${seed}`);
});

test("a list that is too short ends with its pins", () => {
  assert.equal(
    withPins(
      ["a", "b"],
      [
        { hit: "x", place: 1 },
        { hit: "y", place: 9 },
      ],
    ),
    ["x", "a", "b", "y"],
  );
  assert.equal(withPins(["a", "b", "c"], [{ hit: "c", place: 2 }]), ["a", "c", "b"]);
});

test("keeps an order of the caller's own, and pages without hits", () => {
  const pins = [{ id: "a", place: 1, ignore_filters: false }];
  const effects = { ...effectsOf([], { hasText: false }), pins };
  const page = { from: 0, size: 5 };
  const asked = { index: "books", effects, filters: [], native: {}, pins: { body: () => "{}" }, page };
  assert.ok(rulesStage({} as never, asked).stage);
  for (const other of [{ native: { sort: ["year"] } }, { page: { from: 0, size: 0 } }, { page: undefined }]) {
    assert.equal(rulesStage({} as never, { ...asked, ...other }), {});
  }
});

test.run();
