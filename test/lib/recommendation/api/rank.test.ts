import * as assert from "uvu/assert";
import { UNLIMITED } from "../../../../lib/platform/http/access.ts";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { rankItems } from "../../../../lib/recommendation/api/rank.ts";
import type { RankItems } from "../../../../lib/recommendation/api/requests.ts";
import type { RecommendationServices } from "../../../../lib/recommendation/service/services.ts";
import { SHOP_DEFINITIONS } from "../../../functions/recommendation-api/definitions.ts";
import { suite } from "../../../suite.ts";

const test = suite("ranking items with a filter and a context");

/** Ranks i1 to i3 in a shop whose campaign lets i3 and i1 through, or fails. */
async function rank(body: Partial<RankItems>, campaignFails = false, built_in: readonly string[] = []) {
  const asked: unknown[] = [];
  const services = {
    settings: {
      project: "shop",
      campaigns: { personalized_ranking: "/campaign" },
      built_in,
      filters: [
        {
          name: "war",
          expression: "INCLUDE ItemID WHERE Items.CATEGORIES IN ($C)",
          resource: "war",
          parameter: "/war",
        },
      ],
      definitions: SHOP_DEFINITIONS,
    },
    api: { log: () => {} },
    pointers: { read: async (names: string[]) => names.map((name) => `arn:${name}`) },
    campaigns: {
      rank: async (query: unknown) => {
        asked.push(query);
        if (campaignFails) throw new Error("down");
        return { itemIds: ["i3", "i1"], knownIds: [], recommendationId: "RID-1" };
      },
    },
    records: {
      read: async (_: string, ids: string[]) => ({
        records: new Map(ids.map((id) => [id, { ITEM_ID: id, CATEGORIES: id === "i2" ? "War" : "Peace" }])),
        unread: new Set(),
        failure: undefined,
      }),
    },
    popularItems: async () => ["i3"],
    // The user had i3, which speaks for i2.
    builtIn: async (keys: readonly string[]) =>
      new Map(
        [
          { KEY: "user#u", RUN: "r", ITEMS: ["i3"] },
          { KEY: "item#i3", RUN: "r", ITEMS: ["i2", "i9"], SCORES: [0.4, 0.2] },
        ].flatMap((record) => (keys.includes(record.KEY) ? [[record.KEY, record] as const] : [])),
      ),
    now: Date.now,
  } as unknown as RecommendationServices;
  const request = { user_id: "u", item_ids: ["i1", "i2", "i3"], ...body };
  const call = { requestId: "r", caller: UNLIMITED, headers: {}, deadline: deadlineIn(5_000), body: request, text: "" };
  const { response, degraded } = JSON.parse(String((await rankItems(services, call)).body));
  return { asked, ids: response.items.map(({ ITEM_ID }: { ITEM_ID: string }) => ITEM_ID), degraded };
}

const war = { filter_name: "war", filter_value_dict: { C: "War" } };

test("passes both on, and leaves out what the filter does not let through", async () => {
  const { asked, ids } = await rank({ ...war, context: { DEVICE: "tv" } });
  const more = { filterArn: "arn:/war", filterValues: { C: '"War"' }, context: { DEVICE: "tv" } };
  assert.equal(asked, [{ campaignArn: "arn:/campaign", ...more, userId: "u", itemIds: ["i1", "i2", "i3"] }]);
  assert.equal(ids, ["i3", "i1"]);
});

test("without a filter, every item is in the answer", async () => {
  assert.equal((await rank({})).ids, ["i3", "i1", "i2"]);
});

test("without a campaign, the filter applies to the items' records", async () => {
  const { ids, degraded } = await rank(war, true);
  assert.equal([ids, degraded[0].stage], [["i2"], "campaign"]);
});

test("the built-in engine ranks without a campaign, the items that the user had among the others", async () => {
  const { asked, ids, degraded } = await rank({}, false, ["personalized_ranking"]);
  assert.equal([asked, ids, degraded], [[], ["i2", "i3", "i1"], undefined]);
  assert.equal((await rank({ personalization: "none" }, false, ["personalized_ranking"])).ids, ["i3", "i1", "i2"]);
  const failed = await rank({}, true);
  assert.equal(failed.ids, ids);
  assert.match(failed.degraded[0].effect, "by the built-in engine, the others by popularity, the others as given");
});

test("refuses an unknown filter", async () => {
  assert.is(await rank({ filter_name: "x" }).catch(({ code }) => code), "filter_not_found");
});

test.run();
