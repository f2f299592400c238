import * as assert from "uvu/assert";
import { type PersonalRanker, RankingError, scoreBelowWindow } from "../../../../lib/personalize/ranking/blend.ts";
import { ApiError } from "../../../../lib/platform/http/error.ts";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { readAnswer, type SearchAnswer } from "../../../../lib/search/page/answer.ts";
import { searchedPage } from "../../../../lib/search/page/searched-page.ts";
import { personalStage } from "../../../../lib/search/stages/rank-for-user.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/stages/rank-for-user");

const WEIGHT = 0.5;
const WINDOW = 4;

/** Answers pages of twelve hits, or of hits with the given item ids, from shards of which some failed. */
function cluster({ failed = 0, hits = 12, isbns = [] as string[] } = {}) {
  const asked: Array<{ from: number; size: number; aggregate: boolean }> = [];
  const search = async (
    { from, size }: { from: number; size: number },
    { aggregate }: { aggregate: boolean },
  ): Promise<SearchAnswer> => {
    asked.push({ from, size, aggregate });
    const all = Array.from({ length: hits }, (_, at) => ({
      _id: `d${at}`,
      _score: 1 - at / 100,
      _source: { isbn: isbns[at] },
    }));
    const _shards = { total: 2, successful: 2 - failed, failed, failures: [] };
    return readAnswer(
      JSON.stringify({
        took: 1,
        timed_out: false,
        _shards,
        hits: { max_score: 1, hits: all.slice(from, from + size) },
      }),
    );
  };
  return { asked, search };
}

const reversed: PersonalRanker = async (_, ids) => ids.toReversed();

interface Asked {
  user?: string | null;
  personalization?: "none" | "profile";
  rules?: object;
  native?: Record<string, unknown>;
  ranker?: PersonalRanker;
  itemIdField?: string;
  filter?: string;
}

/** Returns the stage for a request, or why there is none. */
async function stageOf(
  page: { from: number; size: number },
  { user = "u", personalization, rules = {}, native = {}, ranker = reversed, itemIdField = "_id", filter }: Asked = {},
) {
  const configured = { weight: WEIGHT, window: WINDOW, item_id_field: itemIdField, timeout_ms: 100 };
  const settings = { personalized_ranking: { ...configured, campaign_arn: "arn", filter_arn: filter } };
  const services = { settings, ranker: async () => ranker } as never;
  const request = { personalization, business_rules: { is_personalized_enabled: true, ...rules } };
  return personalStage(services, { request, userId: user, native, page });
}

async function pageOf(page: { from: number; size: number }, { search } = cluster(), asked: Asked = {}) {
  const { stage, declined } = await stageOf(page, asked);
  const found = await searchedPage({
    page,
    stages: stage ? [stage] : [],
    declined: declined ? [declined] : [],
    plain: () => search(page, { aggregate: true }),
    searchPage: search,
    maxResultWindow: async () => 100,
    deadline: deadlineIn(1_000),
  });
  const { text, hits } = found.answer;
  const ids = hits.map(({ _id }) => _id);
  const scores = hits.map(({ _score }) => _score);
  const failed = found.stages.some((one) => one.failed);
  return { ...found, failed, ids, scores, max: JSON.parse(text).hits.max_score, inText: readAnswer(text).hits };
}

test("a page that begins in the window has its hits in the user's order, then those below, with falling scores", async () => {
  const world = cluster();
  const { ids, scores, max, degraded, failed, inText, answer } = await pageOf({ from: 0, size: 6 }, world);
  assert.equal(ids.slice(0, WINDOW).toSorted(), ["d0", "d1", "d2", "d3"]);
  assert.not.equal(ids.slice(0, WINDOW), ["d0", "d1", "d2", "d3"]);
  assert.equal(ids.slice(WINDOW), ["d4", "d5"]);
  assert.equal(scores.slice(WINDOW), [scoreBelowWindow(5, WEIGHT), scoreBelowWindow(6, WEIGHT)]);
  assert.equal(scores, scores.toSorted().reverse());
  assert.is(max, scores[0]);
  assert.equal(inText, answer.hits);
  assert.not(failed);
  assert.equal(degraded, []);
  assert.equal(world.asked, [
    { from: 0, size: WINDOW, aggregate: true },
    { from: WINDOW, size: 2, aggregate: false },
  ]);
});

test("context and filter values of a request go to the campaign, values in Personalize's notation", async () => {
  const inputs: unknown[] = [];
  const ranker: PersonalRanker = async (_, ids, _timeout, input) => {
    inputs.push(input);
    return [...ids];
  };
  const rules = { personalization_filter_values: { GENRES: 'crime,"food, drink"' } };
  const contexts = [{ personalization_context: { DEVICE: "phone" } }, { personalization_context: null }];
  for (const given of [...contexts, rules]) {
    await pageOf({ from: 0, size: 3 }, cluster(), { ranker, rules: given, filter: "arn:filter" });
  }
  const filterValues = { GENRES: '"crime","food, drink"' };
  assert.equal(inputs, [{ context: { DEVICE: "phone" } }, {}, { filterValues }]);
  const issueOf = async (asked: Asked) => {
    const refused = await stageOf({ from: 0, size: 3 }, asked).catch((error: ApiError) => error);
    return refused instanceof ApiError ? refused.issues?.[0] : undefined;
  };
  const path = "business_rules.personalization_filter_values";
  assert.equal(await issueOf({ rules }), {
    path,
    message: "has no filter: none is configured (personalized_ranking.filter_arn in api.yaml)",
  });
  const broken = { personalization_filter_values: { GENRES: 'a"b' } };
  assert.is((await issueOf({ rules: broken, filter: "arn:filter" }))?.path, `${path}.GENRES`);
});

test("an item that several hits are is ranked once, and moves all of them", async () => {
  const sent: string[][] = [];
  const ranker: PersonalRanker = async (_, ids) => {
    sent.push([...ids]);
    return ids.toReversed();
  };
  const { ids } = await pageOf({ from: 0, size: 4 }, cluster({ isbns: ["a", "a", "b", "b"] }), {
    ...{ ranker, itemIdField: "isbn", rules: { personalization_weight: 1 } },
  });
  assert.equal(sent, [["a", "b"]]);
  assert.equal(ids, ["d2", "d3", "d0", "d1"]);
});

test("a page below the window, and hits fewer than it, need one call", async () => {
  const world = cluster();
  const { ids, scores } = await pageOf({ from: 6, size: 3 }, world);
  assert.equal(ids, ["d6", "d7", "d8"]);
  assert.equal(
    scores,
    [7, 8, 9].map((rank) => scoreBelowWindow(rank, WEIGHT)),
  );
  assert.equal(world.asked, [{ from: 6, size: 3, aggregate: true }]);
  const few = cluster({ hits: 2 });
  assert.is((await pageOf({ from: 0, size: 10 }, few)).ids.length, 2);
  const past = await pageOf({ from: 3, size: 10 }, few);
  assert.equal([past.ids, past.max, few.asked.length], [[], null, 2]);
});

test("a ranking that fails leaves the search order with its reason, on every page", async () => {
  const fails: PersonalRanker = () => Promise.reject(new RankingError("the campaign is busy"));
  const { ids, failed, degraded, max, inText, answer } = await pageOf({ from: 2, size: 4 }, cluster(), {
    ranker: fails,
  });
  assert.equal(ids, ["d2", "d3", "d4", "d5"]);
  assert.equal(inText, answer.hits);
  assert.ok(failed);
  assert.is(max, 1);
  assert.equal(
    degraded.map(({ stage, reason }) => [stage, reason]),
    [["personalization", "the campaign is busy"]],
  );
  const broken: PersonalRanker = () => Promise.reject(new TypeError("secret"));
  assert.is(
    (await pageOf({ from: 0, size: 2 }, cluster(), { ranker: broken })).degraded[0]?.reason,
    "the personal ranking failed",
  );
});

test("what the cluster leaves out is told of both calls", async () => {
  const stages = async (page: { from: number; size: number }) =>
    (await pageOf(page, cluster({ failed: 1 }))).degraded.map(({ stage }) => stage);
  assert.equal(await stages({ from: 0, size: 3 }), ["shards"]);
  assert.equal(await stages({ from: 0, size: 6 }), ["shards", "shards"]);
  assert.equal(await stages({ from: 6, size: 3 }), ["shards"]);
});

test("no hit, or none with an item id, needs no ranker", async () => {
  const never: PersonalRanker = () => Promise.reject(new RankingError("asked"));
  assert.equal((await pageOf({ from: 0, size: 3 }, cluster({ hits: 0 }), { ranker: never })).degraded, []);
  const without = await pageOf({ from: 0, size: 3 }, cluster(), { ranker: never, itemIdField: "isbn" });
  assert.equal(
    without.degraded.map(({ reason }) => reason),
    ["no hit has an item id in isbn"],
  );
});

test("a request is ranked if it asks for it, has a user and no order of its own", async () => {
  const page = { from: 0, size: 10 };
  assert.ok((await stageOf(page)).stage);
  assert.ok((await stageOf(page, { personalization: "profile" })).stage);
  assert.equal(await stageOf(page, { personalization: "none" }), {});
  assert.equal(await stageOf(page, { rules: { personalization_weight: 0 } }), {});
  assert.equal(await stageOf({ from: 0, size: 0 }), {});
  const heavier = await pageOf({ from: 0, size: 6 }, cluster(), { rules: { personalization_weight: 0.9 } });
  assert.equal(heavier.scores.slice(WINDOW), [scoreBelowWindow(5, 0.9), scoreBelowWindow(6, 0.9)]);
  const reasons = await Promise.all([
    stageOf(page, { user: null }),
    ...["sort", "collapse", "search_after"].map((name) => stageOf(page, { native: { [name]: [] } })),
  ]);
  assert.equal(
    reasons.map(({ declined }) => declined?.reason),
    [
      "the request has no user_id",
      "the request has its own sort",
      "the request has its own collapse",
      "the request has its own search_after",
    ],
  );
});

test("a request that is not ranked says why, after what the cluster left out", async () => {
  const { degraded, stages } = await pageOf({ from: 0, size: 3 }, cluster({ failed: 1 }), { user: null });
  assert.equal([stages.length, degraded.map(({ stage }) => stage)], [0, ["shards", "personalization"]]);
});

test.run();
