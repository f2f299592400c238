import * as assert from "uvu/assert";
import { type KeyRules, UNLIMITED } from "../../../../lib/platform/http/access.ts";
import type { ApiError } from "../../../../lib/platform/http/error.ts";
import type { JsonCall } from "../../../../lib/platform/http/event.ts";
import { rankItems } from "../../../../lib/recommendation/api/rank.ts";
import { recommendToItem, recommendToUser } from "../../../../lib/recommendation/api/recommend.ts";
import type { RecommendToItem } from "../../../../lib/recommendation/api/requests.ts";
import type { RecommendationServices } from "../../../../lib/recommendation/service/services.ts";
import { SHOP_DEFINITIONS } from "../../../functions/recommendation-api/definitions.ts";
import { suite } from "../../../suite.ts";

const test = suite("recommending items to an item");

const EXPRESSIONS = {
  unread: 'EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("view")',
  member: 'INCLUDE ItemID WHERE Items.CATEGORIES IN ("War") IF CurrentUser.GENDER = "F"',
  cheap: "INCLUDE ItemID WHERE Items.PRICE <= 5",
  within: "INCLUDE ItemID WHERE Items.PRICE <= $MOST",
};

/** Asks a shop that knows the items i0 to i5, whose campaign recommends `recommended`. Returns the answer and what was asked. */
async function ask(
  body: Partial<RecommendToItem>,
  recommended: readonly string[] = ["i1", "i2"],
  change: Partial<RecommendationServices> = {},
  built_in: readonly string[] = [],
  endpoint: typeof recommendToItem = recommendToItem,
  caller: KeyRules = UNLIMITED,
) {
  const asked: { userId?: string; filterArn?: string }[] = [];
  const services = {
    settings: {
      project: "shop",
      campaigns: { similar_items: "/campaign", user_personalization: "/campaign", personalized_ranking: "/campaign" },
      built_in,
      rare_items_by_text: true,
      filters: Object.entries(EXPRESSIONS).map(([name, expression]) => {
        return { name, expression, resource: name, parameter: `/filter/${name}` };
      }),
      definitions: SHOP_DEFINITIONS,
      logging: { user_id: "plain", query_text: true },
    },
    api: { log: () => {} },
    pointers: { read: async (names: string[]) => names.map((name) => `arn:${name}`) },
    campaigns: {
      recommend: async (input: { userId?: string }) => {
        asked.push(input);
        return { itemIds: recommended, recommendationId: "RID-1" };
      },
    },
    records: {
      read: async (_: string, ids: string[]) => ({
        records: new Map(
          ids
            .filter((id) => /^i[0-5]$/.test(id))
            .map((id) => [id, { ITEM_ID: id, IS_ACTIVE: "True", PRICE: Number(id[1]) }]),
        ),
        unread: new Set(),
        failure: undefined,
      }),
    },
    builtIn: async (keys: readonly string[]) => {
      const ITEMS = ["i4", "i0", "i3", "i5"];
      const records = keys.filter((key) => key === "item#i0").map((KEY) => ({ KEY, ITEMS, SCORES: [4, 3, 2, 1] }));
      return new Map(records.map((record) => [record.KEY, record]));
    },
    popularItems: async () => ["i2", "i4", "i5"],
    now: Date.now,
    ...change,
  } as unknown as RecommendationServices;
  const request = { item_id: "i0", limit: 2, filter_name: "", filter_value_dict: {}, ...body };
  const call = { body: request, caller, requestId: "r-1", deadline: { remaining: () => 20_000 } };
  const { body: answer } = await endpoint(services, call as unknown as JsonCall<RecommendToItem>);
  const { degraded, response } = JSON.parse(String(answer));
  const ids: string[] = response.items.map(({ ITEM_ID }: { ITEM_ID: string }) => ITEM_ID);
  return { degraded, asked, ids };
}

const errorOf = (asked: Promise<unknown>): Promise<ApiError> =>
  asked.then(
    () => assert.unreachable(),
    (error) => error,
  );

const toUser = recommendToUser as unknown as typeof recommendToItem;

for (const [filter_name, what] of [
  ["unread", "past events"],
  ["member", "CurrentUser"],
] as const) {
  test(`refuses a filter on ${what} without a user, and passes the user on`, async () => {
    const error = await errorOf(ask({ filter_name }));
    assert.is(error.code, "invalid_request");
    assert.equal(error.issues, [
      { path: "user_id", message: `is missing: the filter ${filter_name} reads ${what} of a user` },
    ]);
    const { asked } = await ask({ filter_name, user_id: "u1" });
    assert.equal(
      asked.map(({ userId }) => userId),
      ["u1"],
    );
  });
}

test("needs no user without a filter, or with one that reads items only", async () => {
  const { asked } = await ask({ filter_name: "cheap" });
  assert.equal([asked.length, asked[0]?.userId], [1, undefined]);
  assert.is((await ask({ user_id: null })).asked[0]?.userId, undefined);
});

const broken = { name: "ServiceUnavailable", message: "down" };
const fails = async () => {
  throw Object.assign(new Error(broken.message), broken);
};

test("takes items of the built-in engine before popular ones if the campaign fails", async () => {
  const campaigns = { recommend: fails } as unknown as RecommendationServices["campaigns"];
  const { ids, degraded } = await ask({ limit: 4 }, [], { campaigns });
  assert.equal(ids, ["i4", "i3", "i5", "i2"]);
  assert.is(degraded[0].effect, "items of the built-in engine in place of recommendations");
  const both = await ask({ limit: 4 }, [], { campaigns, builtIn: fails });
  assert.equal(both.ids, ["i2", "i4", "i5"]);
  assert.is(both.degraded[0].effect, "popular items in place of recommendations");
  const unpopular = await ask({ limit: 4 }, [], { campaigns, popularItems: fails });
  assert.equal(unpopular.ids, ["i4", "i3", "i5"]);
});

test("recommends items of its own kind to a rare item, before those of a campaign that does not know it", async () => {
  const builtIn = async ([KEY = ""]: readonly string[]) =>
    new Map([[KEY, { KEY, RUN: "r1", ITEMS: ["i5", "gone", "i4"], BY: "text" as const }]]);
  const { ids, degraded, asked } = await ask({ limit: 3 }, ["i1", "i5"], { builtIn });
  assert.equal([ids, degraded, asked.length], [["i5", "i4", "i1"], undefined, 1]);
  assert.equal((await ask({ limit: 2, filter_name: "cheap" }, ["i1", "i2"], { builtIn })).ids, ["i1", "i2"]);
  assert.equal((await ask({ limit: 2 }, ["i1", "i2"], { builtIn: fails })).ids, ["i1", "i2"]);
  assert.equal((await ask({ limit: 2 }, ["i1", "i2"])).ids, ["i1", "i2"]);
});

test("answers by the built-in engine what solution.yaml gives it, without a campaign", async () => {
  const { ids, degraded, asked } = await ask({ limit: 3 }, ["i1"], {}, ["similar_items"]);
  assert.equal([ids, degraded, asked], [["i4", "i3", "i5"], undefined, []]);
  const down = await ask({ limit: 3 }, [], { builtIn: fails }, ["similar_items"]);
  assert.equal([down.ids, down.degraded[0].stage], [["i2", "i4", "i5"], "campaign"]);
  const untrained = { builtIn: async () => new Map(), popularItems: async () => undefined };
  const error = await errorOf(ask({}, [], untrained, ["similar_items"]));
  assert.equal([error.code, /built-in engine is not trained/.test(error.message)], ["not_trained", true]);
  const filtered = await ask({ limit: 3, filter_name: "unread", user_id: "u1" }, [], {}, ["similar_items"]);
  assert.is(filtered.degraded[0].effect, "the filter's conditions on past events did not apply");
});

test("fills the list of a user with no popular item that the user had", async () => {
  const history = Array.from({ length: 60 }, (_, index) => `old${index}`);
  const builtIn = async (keys: readonly string[]) =>
    new Map(
      keys.flatMap((KEY) => (KEY === "user#u1" ? [[KEY, { KEY, RUN: "r1", ITEMS: ["i3", ...history, "i4"] }]] : [])),
    );
  const own = { builtIn } as unknown as Partial<RecommendationServices>;
  const { ids } = await ask({ user_id: "u1", limit: 3 }, [], own, ["user_personalization"], toUser);
  assert.equal(ids, ["i2", "i5"]);
});

test("recommends items of its own kind on the page of a rare item, and to users what its other users chose", async () => {
  const records: Record<string, string[]> = { "kind#i0": ["i5"], "item#i0": ["i3"], "user#u1": ["i0"] };
  const builtIn = async (keys: readonly string[]) =>
    new Map(keys.flatMap((KEY) => (records[KEY] ? [[KEY, { KEY, RUN: "r1", ITEMS: records[KEY], SCORES: [1] }]] : [])));
  const own = { builtIn, popularItems: async () => [] } as unknown as Partial<RecommendationServices>;
  assert.equal((await ask({}, [], own, ["similar_items"])).ids, ["i5"]);
  const toU1 = () => ask({ user_id: "u1" }, [], own, ["user_personalization"], toUser);
  assert.equal((await toU1()).ids, ["i3"]);
  // Items of their kind if nobody else chose any of the user's items.
  records["item#i0"] = [];
  assert.equal((await toU1()).ids, ["i5"]);
});

test("uses nothing of a user who chose no personalization, and refuses no filter for want of one", async () => {
  const none = { personalization: "none", user_id: "u1", limit: 3 } as const;
  const similar = await ask({ ...none, filter_name: "unread" });
  assert.equal([similar.asked.map(({ userId }) => userId), similar.degraded], [[undefined], undefined]);

  const known = { builtIn: async () => assert.unreachable() } as unknown as Partial<RecommendationServices>;
  for (const filter_name of ["", "unread"]) {
    const { ids, asked, degraded } = await ask(
      { ...none, filter_name },
      ["i1"],
      known,
      ["user_personalization"],
      toUser,
    );
    assert.equal([ids, asked, degraded], [["i2", "i4", "i5"], [], undefined]);
  }
  const untrained = { popularItems: async () => undefined };
  const error = await errorOf(ask(none, [], untrained, [], toUser));
  assert.equal([error.code, /uses no profile/.test(error.message)], ["not_trained", true]);

  const rank = rankItems as unknown as typeof recommendToItem;
  const item_ids = ["i1", "i5", "i4"];
  const ranked = await ask({ ...none, item_ids } as object, [], {}, [], rank);
  assert.equal([ranked.ids, ranked.asked, ranked.degraded], [["i4", "i5", "i1"], [], undefined]);
});

const bound: KeyRules = {
  ...UNLIMITED,
  token: {
    ...{ subject: null, ownBodies: false },
    recommend: { filter_name: "within", filter_value_dict: { MOST: "3" } },
  },
};

test("each item of a list passes the filter of the caller's token, whatever made the list", async () => {
  const rank = rankItems as unknown as typeof recommendToItem;
  const all = ["i5", "i2", "i4", "i1", "i3", "i0"];
  const campaigns = { recommend: fails, rank: fails } as unknown as RecommendationServices["campaigns"];
  const kind = async ([KEY = ""]: readonly string[]) =>
    new Map([[KEY, { KEY, RUN: "r1", ITEMS: all, BY: "text" as const }]]);
  type More = [
    change: Partial<RecommendationServices>,
    built_in?: readonly string[],
    endpoint?: typeof recommendToItem,
  ];
  const lists: Record<string, [body: object, ids: string[], ...More]> = {
    "the campaign's, with a filter of the request": [{ filter_name: "cheap" }, ["i2", "i1", "i3"], {}],
    "the campaign's, behind items of the same kind": [{}, ["i2", "i1", "i3"], { builtIn: kind }],
    "the built-in engine's": [{}, ["i3", "i2"], {}, ["similar_items"]],
    "in place of the campaign's": [{}, ["i3", "i2"], { campaigns }],
    "popular items": [{ user_id: "u1" }, ["i2"], { campaigns }, [], toUser],
    "a ranking": [{ user_id: "u1", item_ids: all }, ["i2", "i1", "i3", "i0"], { campaigns }, [], rank],
  };
  for (const [what, [body, ids, change, built_in, endpoint]] of Object.entries(lists)) {
    const got = await ask({ limit: 6, ...body }, all, change, built_in, endpoint, bound);
    assert.equal(got.ids, ids, what);
  }
  const { asked } = await ask({}, all, {}, [], recommendToItem, bound);
  assert.match(asked[0]?.filterArn ?? "", /within$/, "the campaign applies it itself to a request without a filter");
});

test("refuses a token's filter that is not configured, lacks a value, or reads past events", async () => {
  const within = (filter_name: string, filter_value_dict = {}) =>
    errorOf(
      ask({}, [], {}, [], recommendToItem, {
        ...bound,
        token: { subject: null, ownBodies: false, recommend: { filter_name, filter_value_dict } },
      }),
    );
  assert.is((await within("other")).code, "filter_not_found");
  assert.is((await within("within")).code, "invalid_request");
  assert.is((await within("unread")).code, "forbidden");
});

test("says that a list is short because items are unknown", async () => {
  const { degraded } = await ask({}, ["nothing", "i1", "none"]);
  assert.equal(degraded, [
    {
      stage: "item_records",
      target: "response.items",
      reason: "2 recommended items are unknown: events name them, but they were not uploaded, or are deleted",
      effect: "the list has 1 of 2 items",
    },
  ]);
});

test("says nothing about unknown items if the list is full, or about a short list of known ones", async () => {
  for (const recommended of [["nothing", "i1", "i2"], ["i1"]]) {
    assert.is((await ask({}, recommended)).degraded, undefined);
  }
});

test("keeps the failure of records that the list could not read, whether its page's item was read or not asked for", async () => {
  const failure = { reason: "throttled", cause: "throttled", isUnknown: false };
  const read = async (_: string, ids: string[]) =>
    ids.includes("i0")
      ? { records: new Map([["i0", { ITEM_ID: "i0", IS_ACTIVE: "True" }]]), unread: new Set(), failure: undefined }
      : { records: new Map(), unread: new Set(ids), failure };
  const unread = { records: { read } } as unknown as Partial<RecommendationServices>;
  for (const endpoint of [recommendToItem, toUser]) {
    const { degraded, ids } = await ask({ user_id: "u1" }, ["i1", "i2"], unread, [], endpoint);
    assert.equal(ids, ["i1", "i2"]);
    assert.equal(
      degraded?.map(({ stage, reason }: { stage: string; reason: string }) => [stage, reason]),
      [["item_records", "throttled"]],
    );
  }
});

test.run();
