import { GetRecommendationsCommand, type GetRecommendationsCommandInput } from "@aws-sdk/client-personalize-runtime";
import * as assert from "uvu/assert";
import { awsError } from "../functions/recommendation-api/aws-front.ts";
import { type OpenShop, openTrainedShop } from "../functions/recommendation-api/shop.ts";
import { type Answer, startWorld, type World } from "../functions/recommendation-api/world.ts";
import { suite } from "../suite.ts";

const test = suite("items that are deleted by API");

const world: World = await startWorld();
let shop: OpenShop;

/** Those at the head of both campaigns' lists. */
let deleted: string[];

const idsOf = ({ body }: Answer) => body.response.items.map(({ ITEM_ID }) => ITEM_ID ?? "");
const common = { limit: 10, filter_name: "", filter_value_dict: {} };
const lists = () =>
  Promise.all([
    world.post("/recommend-items-to-user", { user_id: "u1", ...common }),
    world.post("/recommend-items-to-item", { item_id: "i1", ...common }),
    world.post("/recommend-for-placement", { placement: "home", user_id: "u1", context: {} }),
  ]);

/** The first items that a campaign itself recommends. */
async function recommended(input: GetRecommendationsCommandInput): Promise<string[]> {
  const { itemList = [] } = await world.harness.runtime.send(
    new GetRecommendationsCommand({ ...input, numResults: 10 }),
  );
  return itemList.flatMap(({ itemId }) => itemId ?? []);
}

const ofCampaigns = () => {
  const { user_personalization, similar_items } = shop.campaigns;
  return Promise.all([
    recommended({ campaignArn: user_personalization, userId: "u1" }),
    recommended({ campaignArn: similar_items, itemId: "i1" }),
  ]);
};

const isDeleted = (id: string) => deleted.includes(id);

test.before(async () => {
  shop = await openTrainedShop(world);
  const heads = (await ofCampaigns()).flatMap((ids) => ids.slice(0, 4));
  deleted = [...new Set(heads)].filter((id) => id !== "i1");
  const fallback = [{ list: "items" as const, item_ids: deleted }, { list: "popular" as const }];
  await world.putPlacements({
    placements: [{ name: "home", recipe: "user_personalization", limit: 10, fallback }],
  });
  await world.putPopularItems([...deleted, ...shop.data.items.map(({ itemId }) => itemId)]);
});
test.after.each(() => world.front.faults.clear());
test.after(() => world.stop());

test("are in no list from then on, though the campaigns still recommend them", async () => {
  for (const answer of (await lists()).slice(0, 2)) assert.ok(idsOf(answer).some(isDeleted), answer.text);
  const { body } = await world.post("/delete-items", { item_ids: deleted });
  assert.is(body.response.accepted, deleted.length);
  for (const ids of await ofCampaigns()) assert.ok(ids.some(isDeleted), ids.join());
  for (const answer of await lists()) {
    assert.is(answer.status, 200, answer.text);
    assert.equal([idsOf(answer).length, idsOf(answer).filter(isDeleted)], [10, []]);
  }
});

test("nor are they among what is answered while the campaigns are down", async () => {
  world.front.faults.set("personalize", () => awsError(503, "ServiceUnavailable"));
  for (const answer of await lists()) {
    assert.equal([answer.status, answer.body.degraded?.[0]?.stage], [200, "campaign"], answer.text);
    assert.equal([idsOf(answer).length, idsOf(answer).filter(isDeleted)], [10, []]);
  }
});

test("have no list of their own", async () => {
  const answer = await world.post("/recommend-items-to-item", { item_id: deleted[0], ...common });
  assert.equal([answer.status, answer.body.error.code], [404, "item_not_found"]);
});

test.run();
