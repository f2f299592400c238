import * as assert from "uvu/assert";
import { waitFor } from "../../packages/processes/wait.ts";
import { awsError } from "../functions/recommendation-api/aws-front.ts";
import { type OpenShop, openTrainedShop, putItems } from "../functions/recommendation-api/shop.ts";
import { type Answer, startWorld, type World } from "../functions/recommendation-api/world.ts";
import { suite } from "../suite.ts";

const test = suite("recommendation endpoints");

const world: World = await startWorld();
let shop: OpenShop;

const toUser = (body: object = {}) =>
  world.post("/recommend-items-to-user", {
    user_id: "u1",
    limit: 10,
    filter_name: "",
    filter_value_dict: {},
    ...body,
  });
const toItem = (body: object = {}) =>
  world.post("/recommend-items-to-item", {
    item_id: "i1",
    limit: 10,
    filter_name: "",
    filter_value_dict: {},
    ...body,
  });
const rank = (body: object = {}) =>
  world.post("/rank-items-to-user", { user_id: "u1", item_ids: ["i5", "i1"], ...body });

const idsOf = ({ body }: Answer) => body.response.items.map(({ ITEM_ID }) => ITEM_ID ?? "");
const runtimeCalls = () => world.front.calls.get("personalize /recommendations") ?? 0;

test.before(async () => {
  shop = await openTrainedShop(world);
});
test.before.each(() => world.front.calls.clear());
test.after.each(() => world.front.faults.clear());
test.after(() => world.stop());

test("recommends as many items as requested, with every column as text in the order of the file", async () => {
  const answer = await toUser();
  assert.is(answer.status, 200, answer.text);
  assert.equal(answer.body.request, { user_id: "u1", limit: 10, filter_name: "", filter_value_dict: {} });
  assert.is(new Set(idsOf(answer)).size, 10);
  const [first = {}] = answer.body.response.items;
  assert.equal(Object.keys(first), ["ITEM_ID", "TITLE", "CATEGORIES", "PRICE"]);
  const { itemId, categories, price } = shop.data.items.find((item) => item.itemId === first.ITEM_ID) ?? {};
  assert.equal(first, { ITEM_ID: itemId, TITLE: `Title of ${itemId}`, CATEGORIES: categories, PRICE: String(price) });
  assert.match(answer.body.response.recommendation_id ?? "", /^RID-/);
  assert.is(answer.body.degraded, undefined);
  assert.is(answer.headers.get("x-degraded"), null);
  assert.ok(answer.headers.get("x-request-id"));
});

test("recommends different items to different users, and also recommends to a new user", async () => {
  const [one, other, stranger] = await Promise.all([toUser(), toUser({ user_id: "u7" }), toUser({ user_id: "new" })]);
  assert.not.equal(idsOf(one), idsOf(other));
  assert.is(idsOf(stranger).length, 10);
});

test("recommends items similar to an item, never the item itself", async () => {
  const answer = await toItem();
  assert.is(answer.status, 200, answer.text);
  assert.is(idsOf(answer).length, 10);
  assert.not.ok(idsOf(answer).includes("i1"));
  assert.is(answer.body.request.item_id, "i1");
});

test("an item that is not in the store is 404, but a retired one is known", async () => {
  const unknown = await toItem({ item_id: "nothing" });
  assert.is(unknown.status, 404);
  assert.is(unknown.body.error.code, "item_not_found");
  await putItems(world, [{ ITEM_ID: "i1", TITLE: "Title of i1", IS_ACTIVE: "False" }]);
  assert.is((await toItem()).status, 200);
  await putItems(world, [{ ITEM_ID: "i1", TITLE: "Title of i1", CATEGORIES: "Drama", PRICE: 1, IS_ACTIVE: "True" }]);
});

test("leaves out excluded items and fills up the list", async () => {
  const excluded = idsOf(await toUser()).slice(0, 5);
  const answer = await toUser({ exclude_item_ids: excluded });
  assert.is(idsOf(answer).length, 10);
  assert.equal(
    idsOf(answer).filter((id) => excluded.includes(id)),
    [],
  );
  assert.equal(answer.body.request.exclude_item_ids, excluded);
  assert.is(runtimeCalls(), 2, "one call a request");
});

test("replaces retired and unknown items within the same call, and many of them with one more call", async () => {
  const first = idsOf(await toUser());
  const retired = first.slice(0, 2);
  await putItems(
    world,
    retired.map((id) => ({ ITEM_ID: id, IS_ACTIVE: "False" })),
  );
  world.front.calls.clear();
  const few = await toUser();
  assert.equal([idsOf(few).length, runtimeCalls()], [10, 1]);
  assert.equal(
    idsOf(few).filter((id) => retired.includes(id)),
    [],
  );

  const most = idsOf(await toUser({ limit: 40 }));
  await putItems(
    world,
    most.map((id) => ({ ITEM_ID: id, IS_ACTIVE: "False" })),
  );
  world.front.calls.clear();
  const many = await toUser();
  assert.equal([idsOf(many).length, runtimeCalls()], [10, 2]);
  assert.equal(
    idsOf(many).filter((id) => most.includes(id)),
    [],
  );
  assert.is(many.body.degraded, undefined);
  await restock();
});

test("returns a shorter list if it cannot be refilled, and says so", async () => {
  const most = idsOf(await toUser({ limit: 15 }));
  await putItems(
    world,
    most.map((id) => ({ ITEM_ID: id, IS_ACTIVE: "False" })),
  );
  let calls = 0;
  world.front.faults.set("personalize", () => {
    calls += 1;
    return calls > 1 ? awsError(429, "ThrottlingException") : undefined;
  });
  const answer = await toUser();
  assert.is(answer.status, 200, answer.text);
  assert.is(idsOf(answer).length, 5);
  assert.equal(answer.body.degraded, [
    {
      stage: "campaign",
      target: "user_personalization",
      reason: "the user_personalization campaign is throttled",
      effect: "the list was not refilled: 5 of 10 items",
    },
  ]);
  await restock();
});

test("ranks every given item exactly once, with unknown and retired ones last in the given order", async () => {
  await putItems(world, [{ ITEM_ID: "retired", TITLE: "Gone", IS_ACTIVE: "False" }]);
  const item_ids = ["nothing", "i9", "retired", "i3", "i200", "i1"];
  const answer = await rank({ item_ids });
  assert.is(answer.status, 200, answer.text);
  assert.equal(idsOf(answer).slice(0, 4).sort(), ["i1", "i200", "i3", "i9"]);
  assert.equal(answer.body.response.items.slice(4), [
    { ITEM_ID: "nothing", TITLE: "", CATEGORIES: "", PRICE: "" },
    { ITEM_ID: "retired", TITLE: "", CATEGORIES: "", PRICE: "" },
  ]);
  assert.is(answer.body.response.items[0]?.TITLE, `Title of ${idsOf(answer)[0]}`);
  assert.equal(answer.body.degraded, [
    {
      stage: "item_records",
      target: "response.items",
      reason: "2 items are unknown or not active",
      effect: "they come last, without their fields",
    },
  ]);
  assert.is(answer.headers.get("x-degraded"), "item_records");
});

test("passes context to the campaign; context that the campaign refuses is the caller's error", async () => {
  let sent: unknown;
  world.front.faults.set("personalize", ({ body }) => {
    sent = JSON.parse(body.toString()).context;
    return undefined;
  });
  const answer = await toUser({ context: { DEVICE: "tv" } });
  assert.equal([answer.status, sent], [200, { DEVICE: "tv" }]);
  world.front.faults.set("personalize", () => ({
    status: 400,
    headers: { "x-amzn-errortype": "InvalidInputException" },
    body: JSON.stringify({ message: `arn:aws:personalize:eu-west-1:1:campaign/x does not know DEVICE` }),
  }));
  const refused = await toUser({ context: { DEVICE: "tv" } });
  assert.equal([refused.status, refused.body.error.code], [400, "invalid_request"]);
  assert.match(refused.body.error.message, "… does not know DEVICE");
});

test("finds a replaced campaign again at once", async () => {
  const answer = await toUser();
  assert.is(answer.status, 200);
  // The function may call only the campaigns of the project's recipes.
  const { user_personalization: arn, similar_items: gone } = shop.campaigns;
  world.front.faults.set("personalize", ({ body }) =>
    body.toString().includes(gone) ? awsError(404, "ResourceNotFoundException") : undefined,
  );
  await world.putParameter(world.names.campaignParameter("user_personalization"), gone);
  await world.restart();
  await world.putPopularItems(["i1"]);
  assert.is((await toUser()).body.degraded?.[0]?.stage, "campaign");
  await world.putParameter(world.names.campaignParameter("user_personalization"), arn);
  await waitFor(async () => (await toUser()).body.degraded === undefined, {
    what: "the campaign to be found again, well before the 60 seconds of the cache",
    timeoutMs: 40_000,
  });
});

async function restock() {
  await putItems(
    world,
    shop.data.items.map(({ itemId, categories, price }) => ({
      ITEM_ID: itemId,
      TITLE: `Title of ${itemId}`,
      CATEGORIES: categories,
      PRICE: price,
      IS_ACTIVE: "True",
    })),
  );
}

test.run();
