import * as assert from "uvu/assert";
import type { ApiError } from "../../../../lib/core/http/error.ts";
import type { JsonCall } from "../../../../lib/core/http/event.ts";
import { recommendToItem } from "../../../../lib/recommendation/api/recommend.ts";
import type { RecommendToItem } from "../../../../lib/recommendation/api/requests.ts";
import type { RecommendationServices } from "../../../../lib/recommendation/service/services.ts";
import { SHOP_DEFINITIONS } from "../../../functions/recommendation-api/definitions.ts";
import { suite } from "../../../suite.ts";

const test = suite("recommending items to an item");

const EXPRESSIONS = {
  unread: 'EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("view")',
  member: 'INCLUDE ItemID WHERE Items.CATEGORIES IN ("War") IF CurrentUser.GENDER = "F"',
  cheap: "INCLUDE ItemID WHERE Items.PRICE <= 5",
};

/** Asks a shop that knows the items i0 to i5, whose campaign recommends `recommended`. Returns the answer and what was asked. */
async function ask(body: Partial<RecommendToItem>, recommended: readonly string[] = ["i1", "i2"]) {
  const asked: { userId?: string }[] = [];
  const services = {
    settings: {
      project: "shop",
      campaigns: { similar_items: "/campaign" },
      filters: Object.entries(EXPRESSIONS).map(([name, expression]) => {
        return { name, expression, resource: name, parameter: `/filter/${name}` };
      }),
      definitions: SHOP_DEFINITIONS,
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
        records: new Map(ids.filter((id) => /^i[0-5]$/.test(id)).map((id) => [id, { ITEM_ID: id, IS_ACTIVE: "True" }])),
        unread: new Set(),
        failure: undefined,
      }),
    },
  } as unknown as RecommendationServices;
  const request = { item_id: "i0", limit: 2, filter_name: "", filter_value_dict: {}, ...body };
  const call = { body: request, requestId: "r-1", deadline: { remaining: () => 20_000 } };
  const { body: answer } = await recommendToItem(services, call as unknown as JsonCall<RecommendToItem>);
  return { degraded: JSON.parse(String(answer)).degraded, asked };
}

for (const [filter_name, what] of [
  ["unread", "past events"],
  ["member", "CurrentUser"],
] as const) {
  test(`refuses a filter on ${what} without a user, and passes the user on`, async () => {
    const error: ApiError = await ask({ filter_name }).then(
      () => assert.unreachable(),
      (error) => error,
    );
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

test("says that a list is short because items are unknown", async () => {
  const { degraded } = await ask({}, ["nothing", "i1", "none"]);
  assert.equal(degraded, [
    {
      stage: "item_records",
      target: "response.items",
      reason: "2 recommended items are unknown: events name them, but they were not uploaded",
      effect: "the list has 1 of 2 items",
    },
  ]);
});

test("says nothing about unknown items if the list is full, or about a short list of known ones", async () => {
  for (const recommended of [["nothing", "i1", "i2"], ["i1"]]) {
    assert.is((await ask({}, recommended)).degraded, undefined);
  }
});

test.run();
