import { PutCommand } from "@aws-sdk/lib-dynamodb";
import * as assert from "uvu/assert";
import { putItems } from "../functions/recommendation-api/shop.ts";
import { startWorld } from "../functions/recommendation-api/world.ts";
import { suite } from "../suite.ts";

const test = suite("a project without any campaign");

const world = await startWorld({
  builtIn: ["user_personalization", "similar_items", "personalized_ranking"],
  settings: { campaigns: {}, learned_events: { event_type: "purchase" } },
});
test.after(() => world.stop());

/** Neighbours as a training by factors or by common users stores them. */
const NEIGHBOURS = { a: ["b", "c"], c: ["d", "a"], d: ["c", "b"] };

test.before(async () => {
  const TableName = world.names.table("built-in");
  for (const [item, ITEMS] of Object.entries(NEIGHBOURS)) {
    const Item = { KEY: `item#${item}`, RUN: "r1", ITEMS, SCORES: [2, 1] };
    await world.dynamo.send(new PutCommand({ TableName, Item }));
  }
  await world.dynamo.send(new PutCommand({ TableName, Item: { KEY: "user#u1", RUN: "r1", ITEMS: ["a"] } }));
  await world.putPopularItems(["p", "a"]);
  await putItems(
    world,
    ["a", "b", "c", "d", "p"].map((ITEM_ID) => ({ ITEM_ID, IS_ACTIVE: "True" })),
  );
});

async function listed(path: string, body: object): Promise<string[]> {
  const answer = await world.post(path, { filter_name: "", filter_value_dict: {}, ...body });
  assert.equal([answer.status, answer.body.degraded], [200, undefined], answer.text);
  return answer.body.response.items.map(({ ITEM_ID = "" }) => ITEM_ID);
}

const forUser = (user_id: string) => listed("/recommend-items-to-user", { user_id, limit: 2 });
const log = async (...events: object[]) => {
  const answer = await world.post("/log-event", { events });
  assert.equal([answer.status, answer.body.degraded], [200, undefined], answer.text);
};

test("has all three endpoints, and an event changes the next list of its user or session", async () => {
  assert.equal(await listed("/recommend-items-to-item", { item_id: "c", limit: 2 }), ["d", "a"]);
  assert.equal(await forUser("u1"), ["b", "c"]);
  assert.equal(await listed("/rank-items-to-user", { user_id: "u1", item_ids: ["p", "c", "b"] }), ["b", "c", "p"]);
  assert.equal(await forUser("s1"), ["p", "a"]);

  await log(
    { USER_ID: "u1", ITEM_ID: "c", EVENT_TYPE: "purchase" },
    { SESSION_ID: "s1", ITEM_ID: "d", EVENT_TYPE: "purchase" },
  );
  // Of items with equal scores, those like the last item come first. Neither item of the user is recommended again.
  assert.equal(await forUser("u1"), ["d", "b"]);
  assert.equal(await listed("/rank-items-to-user", { user_id: "u1", item_ids: ["p", "b", "d"] }), ["d", "b", "p"]);
  assert.equal(await forUser("s1"), ["c", "b"]);
});

test("leaves out events that the engine does not learn from, and uploads of history", async () => {
  await log(
    { USER_ID: "u2", ITEM_ID: "c", EVENT_TYPE: "click" },
    { USER_ID: "u2", ITEM_ID: "c", EVENT_TYPE: "purchase", TIMESTAMP: 1_740_000_000 },
  );
  assert.equal(await forUser("u2"), ["p", "a"]);
});

test.run();
