import * as assert from "uvu/assert";
import { requireListed, UNLIMITED } from "../../../../lib/platform/http/access.ts";
import type { ApiError } from "../../../../lib/platform/http/error.ts";
import { placementWorld } from "../../../fixtures/placement-world.ts";
import { suite } from "../../../suite.ts";

const test = suite("placements");

const HOME = { name: "home", recipe: "user_personalization", limit: 5 };
const BASKET = { name: "basket", recipe: "similar_items", limit: 5 };

function shop(...placements: object[]) {
  const world = placementWorld(4);
  world.place(placements.length > 0 ? placements : [HOME, BASKET]);
  return world;
}

const errorOf = (asked: Promise<unknown>): Promise<ApiError> =>
  asked.then(
    () => assert.unreachable(),
    (error) => error,
  );

test("refuses a placement that does not exist, and one for a user without any", async () => {
  const { ask } = shop();
  assert.is((await errorOf(ask({ placement: "nowhere" }))).code, "placement_not_found");
  const error = await errorOf(ask({ placement: "home" }));
  assert.equal([error.code, error.issues[0]?.path], ["invalid_request", "user_id"]);
});

test("takes a session for a user, and the user first", async () => {
  const { ask } = shop();
  const ids = async (body: object) => (await ask({ placement: "home", ...body })).response.recommendation_id;
  assert.is(await ids({ session_id: "s1" }), "RID-s1");
  assert.is(await ids({ session_id: "s1", user_id: "u1" }), "RID-u1");
});

test("uses nothing of the visitor if the request says so", async () => {
  const { ask } = shop({ ...HOME, filter: { name: "unseen" } });
  const { response, degraded } = await ask({ placement: "home", user_id: "u1", personalization: "none" });
  const other = await ask({ placement: "home", user_id: "u2", personalization: "none" });
  assert.equal([response.items, response.recommendation_id], [other.response.items, null]);
  assert.equal(new Set(response.explanations.map(({ engine }) => engine)), new Set(["list"]));
  assert.is(degraded, undefined);
});

test("fills a list of the built-in engine with no popular item that the visitor had", async () => {
  const filter = { name: "category", values: { CATEGORY: "Crime" } };
  const fallback = [{ list: "popular" }];
  const { ask, viewedLast } = shop({ ...HOME, engine: "built_in", limit: 100, fallback, filter });
  const had = viewedLast("u2");
  const { response } = await ask({ placement: "home", user_id: "u2" });
  assert.ok(response.explanations.some(({ engine }) => engine === "list"));
  assert.equal(
    response.items.filter(({ ITEM_ID = "" }) => had.includes(ITEM_ID)),
    [],
  );
});

test("recommends to the items of a basket in turn, and none of them", async () => {
  const { ask, ranked, records } = shop({ ...BASKET, limit: 6 });
  const basket = ["i1", "i2"];
  const { response } = await ask({ placement: "basket", context: { basket_item_ids: basket } });
  const shown = (id: string) => records.get(id)?.IS_ACTIVE === "True" && !basket.includes(id);
  const [first, second] = basket.map((id) => ranked(id).filter(shown)) as [string[], string[]];
  const turns = [...new Set(first.flatMap((id, rank) => [id, second[rank] ?? ""]))];
  assert.equal(
    response.items.map(({ ITEM_ID }) => ITEM_ID),
    turns.slice(0, 6),
  );
});

test("gives a visitor the same variant of an experiment each time, in its share", async () => {
  const variants = [
    { name: "short", share: 0.25, settings: { limit: 2 } },
    { name: "long", share: 0.5, settings: { limit: 7 } },
  ];
  const { ask } = shop({ ...HOME, experiment: { name: "lengths", variants } });
  const seen: Record<string, number> = {};
  for (let user = 0; user < 200; user += 1) {
    const body = { placement: "home", user_id: `u${user}` };
    const [{ response }, again] = [await ask(body), await ask(body)];
    const { variant = "none" } = response.placement;
    assert.is(again.response.placement.variant ?? "none", variant);
    assert.is(response.items.length, { short: 2, long: 7, none: 5 }[variant]);
    seen[variant] = (seen[variant] ?? 0) + 1;
  }
  for (const [name, count] of [
    ["short", 50],
    ["long", 100],
    ["none", 50],
  ] as const) {
    assert.ok(Math.abs((seen[name] ?? 0) - count) < 30, `${name}: ${seen[name]}`);
  }
});

test("shows the fields of the placement", async () => {
  const { ask } = shop({ ...HOME, fields: ["CATEGORIES"] });
  const { response } = await ask({ placement: "home", user_id: "u1" });
  assert.equal(Object.keys(response.items[0] ?? {}), ["ITEM_ID", "CATEGORIES"]);
});

test("recommends by the built-in engine, from what the visitor saw before and in this session", async () => {
  const { ask, near, viewedLast, records } = shop({ ...HOME, engine: "built_in" });
  const list = async (body: object) => (await ask({ placement: "home", ...body })).response;
  const shown = (id: string) => records.get(id)?.IS_ACTIVE === "True";
  const { items, explanations, recommendation_id } = await list({
    user_id: "stranger",
    context: { session_item_ids: ["i5"] },
  });
  const best = near("i5").filter(shown).slice(0, 5);
  assert.equal([items.map(({ ITEM_ID }) => ITEM_ID), recommendation_id], [best, null]);
  assert.equal(new Set(explanations.map(({ engine, recipe, fallback }) => `${engine} ${recipe} ${fallback}`)).size, 1);
  assert.is(explanations[0]?.engine, "built_in");
  const known = await list({ user_id: "u2" });
  assert.not.equal(known.items, (await list({ user_id: "u4" })).items);
  assert.ok(known.items.every(({ ITEM_ID = "" }) => !viewedLast("u2").includes(ITEM_ID)));
  const hidden = await list({ user_id: "u2", personalization: "none", context: { session_item_ids: ["i5"] } });
  assert.equal(new Set(hidden.explanations.map(({ engine }) => engine)), new Set(["list"]));
});

test("falls back on the built-in engine before popular items, and says so before the first training", async () => {
  const { ask, down } = shop();
  down.add("campaign");
  const { response, degraded = [] } = await ask({ placement: "home", user_id: "u2" });
  assert.equal(response.explanations[0]?.fallback, { step: 1, list: "built_in" });
  assert.equal(
    degraded.map(({ stage, target }) => `${stage} ${target}`),
    ["campaign user_personalization"],
  );
  const built = shop({ ...HOME, engine: "built_in", fallback: [] });
  assert.equal((await built.ask({ placement: "home", user_id: "stranger" })).response.items, []);
  Object.assign(built.services, { popularItems: async () => undefined });
  assert.is((await errorOf(built.ask({ placement: "home", user_id: "stranger" }))).code, "not_trained");
});

test("says why each item is in the list", async () => {
  const promotions = [{ name: "travel", percent: 50, filter: { name: "category", values: { CATEGORY: "Travel" } } }];
  const { ask, down } = shop({ ...HOME, limit: 4, promotions });
  const reasons = async () => {
    const { response } = await ask({ placement: "home", user_id: "u1" });
    return response.explanations.map(({ engine, recipe, promotion, fallback }) =>
      [engine, recipe, promotion, fallback?.list].map(String).join(" "),
    );
  };
  const own = "personalize user_personalization null undefined";
  const promoted = "personalize user_personalization travel undefined";
  assert.equal(await reasons(), [own, promoted, own, promoted]);
  down.add("campaign");
  assert.equal(await reasons(), [
    "list null null popular",
    "list null travel popular",
    "list null null popular",
    "list null travel popular",
  ]);
});

test("says which version of an engine recommended an item, and the items that the built-in engine's follow from", async () => {
  const { ask, near } = shop(
    { ...HOME, limit: 100, fallback: [{ list: "popular" }] },
    { ...HOME, name: "built", engine: "built_in", limit: 60 },
  );
  const of = async (placement: string, more: object = {}) => (await ask({ placement, ...more })).response.explanations;
  const [campaigns] = await of("home", { user_id: "u1" });
  // The parameter of the version, as the world answers any parameter.
  assert.equal([campaigns?.version, campaigns?.because_of], ["version", []]);
  const session_item_ids = ["i5", "i6", "i7", "i8"];
  for (const { item_id, version, because_of } of await of("built", {
    user_id: "stranger",
    context: { session_item_ids },
  })) {
    const score = (seed: string) => 1 / (near(seed).indexOf(item_id) + 2);
    const causes = session_item_ids.filter((seed) => near(seed).includes(item_id)).sort((a, b) => score(b) - score(a));
    assert.equal([version, because_of], ["r1", causes.slice(0, 3)]);
  }
  const [listed] = await of("built", { personalization: "none" });
  assert.equal([listed?.engine, listed?.version, listed?.because_of], ["list", null, []]);
});

test("a key without user_history is told no item that the user viewed, whatever it excludes, but those of its own request", async () => {
  const { ask, viewedLast } = shop({ ...HOME, name: "built", engine: "built_in", limit: 6 });
  const history = viewedLast("u2");
  const session_item_ids = [history[1] ?? "", "i7"];
  const reasons = async (user_history: boolean | undefined, context: object) => {
    const told = new Set<string>();
    const excluded: string[] = [];
    for (let request = 0; request < 10; request += 1) {
      const { response } = await ask(
        { placement: "built", user_id: "u2", context: { ...context, exclude_item_ids: excluded } },
        { caller: { ...UNLIMITED, user_history } },
      );
      for (const { item_id, because_of } of response.explanations) {
        excluded.push(item_id);
        for (const id of because_of) told.add(id);
      }
    }
    return [...told].sort();
  };
  assert.ok(history.length > 2);
  assert.ok((await reasons(true, {})).length > 2);
  for (const right of [undefined, false]) {
    assert.equal(await reasons(right, {}), []);
    assert.equal(await reasons(right, { session_item_ids }), session_item_ids.toSorted());
  }
});

test("explains without the version of a campaign if it cannot be read", async () => {
  const { ask, services } = shop(HOME);
  const { pointers } = services;
  const read: typeof pointers.read = (names, deadline) =>
    names.some((name) => name.endsWith("/version"))
      ? Promise.reject(new Error("down"))
      : pointers.read(names, deadline);
  Object.assign(services, { pointers: { ...pointers, read } });
  const { response, degraded } = await ask({ placement: "home", user_id: "u1" });
  assert.equal([response.explanations[0]?.version, degraded], [null, undefined]);
});

test("says what fails, by its stage", async () => {
  const promotions = [{ name: "travel", percent: 50, filter: { name: "category", values: { CATEGORY: "Travel" } } }];
  const fallback = [{ list: "newest" }, { list: "popular" }];
  const diversity = { category: { column: "CATEGORIES", most: 2 } };
  const { ask, down } = shop({ ...HOME, promotions, fallback, diversity });
  const stages = async (...taken: Parameters<typeof down.add>[0][]) => {
    down.clear();
    for (const one of taken) down.add(one);
    const { degraded = [] } = await ask({ placement: "home", user_id: "u1" });
    return degraded.map(({ stage, target }) => `${stage} ${target}`).sort();
  };
  assert.equal(await stages(), []);
  assert.equal(await stages("campaign"), ["campaign user_personalization", "promotions travel"]);
  assert.equal(await stages("campaign", "newest"), [
    "campaign user_personalization",
    "fallback newest",
    "promotions travel",
  ]);
  assert.equal(await stages("items"), ["diversity response.items", "item_records response.items"]);
  down.add("campaign").add("newest").add("popular").delete("items");
  assert.is((await errorOf(ask({ placement: "home", user_id: "u1" }))).code, "upstream_unavailable");
});

test("takes a filter that Personalize does not have for a failure of the campaign", async () => {
  const world = shop({ ...HOME, filter: { name: "category", values: { CATEGORY: "War" } } });
  world.services.pointers.read = async (names) =>
    names.map((name) => (name.startsWith("filter") ? undefined : `arn:${name}`));
  const { response, degraded } = await world.ask({ placement: "home", user_id: "u1" });
  assert.is(degraded?.[0]?.stage, "campaign");
  for (const { CATEGORIES = "" } of response.items) assert.ok(CATEGORIES.split("|").includes("War"));
});

test("says not_trained before the first training, for a basket of several items and promotions, too", async () => {
  const promotions = [{ name: "travel", percent: 50, filter: { name: "category", values: { CATEGORY: "Travel" } } }];
  const world = shop({ ...BASKET, promotions });
  world.services.pointers.read = async (names) =>
    names.map((name) => (name.startsWith("filter") ? `arn:${name}` : undefined));
  world.services.popularItems = async () => undefined;
  world.services.builtIn = async () => new Map();
  const asked = world.ask({ placement: "basket", context: { basket_item_ids: ["i1", "i2"] } });
  assert.is((await errorOf(asked)).code, "not_trained");
});

test("a key with placements may ask for these alone, whether others exist or not", async () => {
  const { ask } = shop();
  const caller = { ...UNLIMITED, name: "page", placements: ["home"] };
  assert.is((await ask({ placement: "home", user_id: "u1" }, { caller })).response.items.length, 5);
  for (const placement of ["basket", "nowhere"]) {
    const error = await errorOf(ask({ placement, user_id: "u1" }, { caller }));
    assert.equal([error.code, error.shown], ["forbidden", { rule: "placement" }]);
  }
  assert.throws(() => requireListed(caller, "placement", undefined), /may only ask for the placement home/);
  requireListed(UNLIMITED, "placement", undefined);
});

test.run();
