import { PutCommand } from "@aws-sdk/lib-dynamodb";
import * as assert from "uvu/assert";
import { s3DocumentBucket, versionedDocument } from "../../lib/platform/aws/versioned-documents.ts";
import { awsError, operationOf } from "../functions/recommendation-api/aws-front.ts";
import { putItems } from "../functions/recommendation-api/shop.ts";
import { type Answer, startWorld, type World } from "../functions/recommendation-api/world.ts";
import { suite } from "../suite.ts";

const test = suite("recommendations when something is down");

/** Long enough for a busy machine, short enough for the two tests that wait for it. */
const TIMEOUT_MS = 4_000;
const world: World = await startWorld({
  timeouts: { campaign_ms: TIMEOUT_MS, store_ms: TIMEOUT_MS, realtime_ms: TIMEOUT_MS },
});
const { names } = world;

const COMMON = { limit: 3, filter_name: "", filter_value_dict: {} };
const toUser = (body: object = {}) => world.post("/recommend-items-to-user", { user_id: "u1", ...COMMON, ...body });
const toItem = (body: object = {}) => world.post("/recommend-items-to-item", { item_id: "b1", ...COMMON, ...body });
const rank = (item_ids: string[]) => world.post("/rank-items-to-user", { user_id: "u1", item_ids });

const idsOf = ({ body }: Answer) => body.response.items.map(({ ITEM_ID }) => ITEM_ID);
const stagesOf = ({ body }: Answer) => body.degraded?.map(({ stage }) => stage);

const POPULAR = ["b4", "gone", "b2", "retired", "b1", "b3"];

/** Makes campaigns give this answer, through the SDK and HTTP. */
function campaign(answer: object | { status: number; type: string }) {
  world.front.faults.set("personalize", () =>
    "type" in answer ? awsError(answer.status, answer.type) : { status: 200, body: JSON.stringify(answer) },
  );
}

async function pointTo(campaigns: "none" | "all") {
  for (const recipe of ["user_personalization", "similar_items", "personalized_ranking"]) {
    const name = names.campaignParameter(recipe);
    const arn = names.arn("personalize", `campaign/${names.campaign(recipe)}`);
    if (campaigns === "all") await world.putParameter(name, arn);
    else await world.removeParameter(name);
  }
  await world.restart();
}

test.before(async () => {
  await putItems(world, [
    { ITEM_ID: "b1", TITLE: "One", CATEGORIES: "Drama|War", PRICE: 5, IS_ACTIVE: "True" },
    { ITEM_ID: "b2", TITLE: "Two", CATEGORIES: "War", PRICE: 15, IS_ACTIVE: "True" },
    { ITEM_ID: "b3", TITLE: "Three", CATEGORIES: "Comedy", IS_ACTIVE: "True" },
    { ITEM_ID: "b4", TITLE: "Four", CATEGORIES: "Comedy|Drama", PRICE: 2, IS_ACTIVE: "True" },
    { ITEM_ID: "retired", TITLE: "Five", IS_ACTIVE: "False" },
  ]);
  for (const name of ["category", "cheap", "unseen", "member"] as const) {
    const resource = world.settings.filters.find((filter) => filter.name === name)?.resource;
    await world.putParameter(names.filterParameter(name), names.arn("personalize", `filter/${resource}`));
  }
});
test.before.each(() => world.front.faults.clear());
test.after(() => world.stop());

test("before the first training and ETL, everything is 503 not_trained, and the message says what to do", async () => {
  await pointTo("none");
  for (const answer of await Promise.all([toUser(), toItem(), rank(["b1"])])) {
    assert.equal([answer.status, answer.body.error.code], [503, "not_trained"], answer.text);
    assert.match(answer.body.error.message, "relevance train");
  }
  assert.is((await toItem({ item_id: "nothing" })).body.error.code, "item_not_found");
});

test("a failure of a campaign before the first ETL is reported as such", async () => {
  await pointTo("all");
  campaign({ status: 429, type: "ThrottlingException" });
  const throttled = await toUser();
  assert.equal([throttled.status, throttled.headers.get("retry-after")], [429, "1"]);
  campaign({ status: 500, type: "InternalServerException" });
  assert.equal((await toUser()).body.error.code, "upstream_unavailable");
  world.standIn.control.latency(5_000, "GetRecommendations");
  world.front.faults.clear();
  const late = await toUser();
  assert.equal([late.status, late.body.error.code], [504, "timeout"]);
  world.standIn.control.latency(0, "GetRecommendations");
});

test("without a campaign, returns popular items that are known and active, and says so", async () => {
  await world.putPopularItems(POPULAR);
  await pointTo("none");
  const answer = await toUser();
  assert.is(answer.status, 200, answer.text);
  assert.equal(idsOf(answer), ["b4", "b2", "b1"]);
  assert.is(answer.body.response.items[0]?.TITLE, "Four");
  assert.is(answer.body.response.recommendation_id, null);
  assert.equal(answer.body.degraded, [
    {
      stage: "campaign",
      target: "user_personalization",
      reason: "no user_personalization campaign is active",
      effect: "popular items in place of recommendations",
    },
  ]);
  assert.is(answer.headers.get("x-degraded"), "campaign");
});

test("without a ranking, orders items by popularity, and the others as given", async () => {
  const answer = await rank(["b3", "b1", "retired", "b2"]);
  assert.equal(idsOf(answer), ["b2", "b1", "b3", "retired"]);
  assert.equal(stagesOf(answer), ["campaign", "item_records"]);
});

test("a filter applies to popular items too", async () => {
  const one = await toUser({ filter_name: "category", filter_value_dict: { CATEGORY: "Drama" } });
  assert.equal(idsOf(one), ["b4", "b1"]);
  const cheap = await toUser({ filter_name: "cheap", filter_value_dict: { MAX: "5" } });
  assert.equal(idsOf(cheap), ["b4", "b1"]);
  const missing = await toUser({ filter_name: "category" });
  assert.is(missing.status, 400);
});

test("a filter on the user reads the user; a filter on past events says what it could not do", async () => {
  const stranger = await toUser({ filter_name: "member" });
  assert.equal(idsOf(stranger), ["b4", "b2", "b1"]);
  await world.dynamo.send(
    new PutCommand({ TableName: names.table("users"), Item: { USER_ID: "u1", MEMBERSHIP: "gold", IS_ACTIVE: "True" } }),
  );
  assert.equal(idsOf(await toUser({ filter_name: "member" })), ["b4", "b3"]);
  const unseen = await toUser({ filter_name: "unseen" });
  assert.equal(idsOf(unseen), ["b4", "b2", "b1"]);
  assert.match(unseen.body.degraded?.[0]?.effect ?? "", "conditions on past events did not apply");
});

test("returns popular items in place of each recipe's campaign that is down, and says why", async () => {
  await pointTo("all");
  campaign({ status: 503, type: "ServiceUnavailableException" });
  for (const [answer, recipe] of [
    [await toUser(), "user_personalization"],
    [await toItem({ exclude_item_ids: ["b4"] }), "similar_items"],
    [await rank(["b2", "b1"]), "personalized_ranking"],
  ] as const) {
    assert.is(answer.status, 200, answer.text);
    const { stage, reason } = answer.body.degraded?.[0] ?? {};
    assert.equal([stage, reason], ["campaign", `the ${recipe} campaign is unavailable`]);
    if (recipe === "similar_items") assert.equal(idsOf(answer), ["b2", "b3"], "neither itself nor excluded items");
  }
});

test("returns popular items in place of a campaign that refuses the call", async () => {
  campaign({ status: 400, type: "InvalidInputException" });
  const answer = await toUser();
  assert.equal([answer.status, stagesOf(answer)], [200, ["campaign"]]);
  assert.match(answer.body.degraded?.[0]?.reason ?? "", "refused the call");
});

test("returns popular items in place of a campaign that does not answer in time", async () => {
  world.standIn.control.latency(5_000, "GetRecommendations");
  const answer = await toUser();
  assert.equal([answer.status, stagesOf(answer)], [200, ["campaign"]]);
  assert.match(answer.body.degraded?.[0]?.reason ?? "", "did not answer in time");
  world.standIn.control.latency(0, "GetRecommendations");
});

test("with the item store down, records contain only ITEM_ID", async () => {
  await pointTo("all");
  campaign({ itemList: [{ itemId: "b2" }, { itemId: "b1" }], recommendationId: "RID-1" });
  world.front.faults.set("dynamodb", () => awsError(500, "InternalServerError"));
  const answer = await toUser();
  assert.is(answer.status, 200, answer.text);
  assert.equal(answer.body.response, { items: [{ ITEM_ID: "b2" }, { ITEM_ID: "b1" }], recommendation_id: "RID-1" });
  assert.equal(answer.body.degraded, [
    {
      stage: "item_records",
      target: "response.items",
      reason: "the item store is unavailable",
      effect: "2 items have ITEM_ID alone",
    },
  ]);
});

test("with the item store down, a ranking still has every item in its order", async () => {
  campaign({ personalizedRanking: [{ itemId: "b2", score: 0.6 }, { itemId: "b1" }], recommendationId: "RID-1" });
  world.front.faults.set("dynamodb", () => awsError(400, "ProvisionedThroughputExceededException"));
  const answer = await rank(["b1", "b2", "b3"]);
  assert.equal(answer.body.response.items, [{ ITEM_ID: "b2" }, { ITEM_ID: "b1" }, { ITEM_ID: "b3" }]);
  assert.match(answer.body.degraded?.[0]?.reason ?? "", "the item store is throttled");
});

test("reads keys again that the store left unprocessed", async () => {
  campaign({ itemList: [{ itemId: "b2" }, { itemId: "b1" }], recommendationId: "RID-1" });
  let calls = 0;
  world.front.faults.set("dynamodb", (request) => {
    if (operationOf(request) !== "BatchGetItem") return undefined;
    calls += 1;
    if (calls > 1) return undefined;
    const { RequestItems } = JSON.parse(request.body.toString());
    const body = JSON.stringify({ Responses: {}, UnprocessedKeys: RequestItems });
    return { status: 200, headers: { "content-type": "application/x-amz-json-1.0" }, body };
  });
  const answer = await toUser();
  assert.equal([answer.body.response.items[0]?.TITLE, answer.body.degraded, calls], ["Two", undefined, 2]);
});

test("with neither campaign nor item store, returns popular ids, but never ignores a filter", async () => {
  await pointTo("none");
  assert.equal((await toUser()).status, 200);
  world.front.faults.set("dynamodb", (request) =>
    operationOf(request) === "BatchGetItem" ? awsError(500, "InternalServerError") : undefined,
  );
  const plain = await toUser();
  assert.equal(plain.body.response.items, [{ ITEM_ID: "b4" }, { ITEM_ID: "gone" }, { ITEM_ID: "b2" }]);
  assert.equal(stagesOf(plain), ["campaign", "item_records"]);
  const filtered = await toUser({ filter_name: "category", filter_value_dict: { CATEGORY: "Drama" } });
  assert.equal([filtered.status, filtered.body.error.code], [503, "upstream_unavailable"]);
});

test("with the parameter store down, uses cached values, or popular items where there are none", async () => {
  await pointTo("all");
  world.front.faults.set("ssm", () => awsError(500, "InternalServerError"));
  const fresh = await toUser({ filter_name: "category", filter_value_dict: { CATEGORY: "Drama" } });
  // One of the popular items was never uploaded, so the list is short, and says so.
  assert.equal(
    [idsOf(fresh), stagesOf(fresh)],
    [
      ["b4", "b1"],
      ["campaign", "item_records"],
    ],
  );
  assert.match(fresh.body.degraded?.[0]?.reason ?? "", "the parameter store is unavailable");
  world.front.faults.clear();
  campaign({ itemList: [{ itemId: "b2" }], recommendationId: "RID-1" });
  assert.is((await toUser()).body.degraded, undefined);
  world.front.faults.set("ssm", () => awsError(500, "InternalServerError"));
  assert.is((await toUser()).body.degraded, undefined);
});

test("treats an unreadable list of popular items as none", async () => {
  await pointTo("none");
  world.front.faults.set("dynamodb", () => awsError(500, "InternalServerError"));
  const answer = await toUser();
  assert.equal([answer.status, answer.body.error.code], [503, "upstream_unavailable"]);
});

test("placements come from the bucket, and go on without the campaign", async () => {
  const document = versionedDocument(s3DocumentBucket(world.s3, world.bucket), "placements");
  const place = async (previous: number, limit: number) => {
    const placement = { name: "home", recipe: "user_personalization", limit, fallback: [{ list: "popular" }] };
    const written = await document.write(previous, {
      by: "test",
      at: new Date(),
      content: { placements: [placement] },
    });
    assert.is(written?.version, previous + 1);
  };
  const ask = () => world.post("/recommend-for-placement", { placement: "home", user_id: "u1" });
  await pointTo("all");
  campaign({ itemList: ["b2", "gone", "b1", "b3"].map((itemId) => ({ itemId })), recommendationId: "RID-1" });
  // The function's role may not list the bucket, so that an absent document is denied.
  assert.equal([(await ask()).status, (await ask()).body.error.code], [503, "upstream_unavailable"]);
  await place(0, 2);
  assert.equal(idsOf(await ask()), ["b2", "b1"]);
  campaign({ status: 503, type: "ServiceUnavailable" });
  const degraded = await ask();
  assert.equal([idsOf(degraded), stagesOf(degraded)], [["b4", "b2"], ["campaign"]]);

  await place(1, 1);
  assert.is(await document.write(1, { by: "late", at: new Date(), content: {} }), undefined);
  await world.restart();
  assert.equal(idsOf(await ask()), ["b4"]);
});

test.run();
