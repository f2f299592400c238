import * as assert from "uvu/assert";
import { realtimeSyncPolicy } from "../../../functions/realtime-sync/policy.ts";
import { recommendationApiPolicy } from "../../../functions/recommendation-api/policy.ts";
import { suite } from "../../suite.ts";

const test = suite("recommendation: permissions");

const api = recommendationApiPolicy({
  usersTable: "users",
  itemsTable: "items",
  popularItemsTable: "popular",
  builtInTable: "built-in",
  ingestionTable: "ingestion",
  eventsStream: "events",
  realtimeQueue: "queue",
  recommendationCampaigns: ["campaign/a", "campaign/b"],
  rankingCampaigns: [],
  parameters: "parameters",
  bucket: "bucket",
  key: "key",
  logGroup: "log",
});
const sync = realtimeSyncPolicy({
  queue: "queue",
  usersTable: "users",
  itemsTable: "items",
  usersDataset: "dataset/USERS",
  itemsDataset: "dataset/ITEMS",
  logGroup: "log",
});

test("only PutEvents is allowed on every resource, since IAM does not support narrower ones for it", () => {
  const wide = [...api, ...sync].filter(({ resources }) => resources.some((resource) => resource === "*"));
  assert.equal(
    wide.map(({ actions }) => actions),
    [["personalize:PutEvents"]],
  );
});

test("no action is a wildcard, no statement is without resources, ids are unique", () => {
  for (const statements of [api, sync]) {
    assert.ok(statements.every(({ actions }) => actions.every((action) => !action.includes("*"))));
    assert.ok(statements.every(({ resources }) => resources.length > 0));
    assert.is(new Set(statements.map(({ sid }) => sid)).size, statements.length);
  }
});

test("the API can only read popular items and only update event counts", () => {
  const actionsOn = (resource: string) =>
    api.filter(({ resources }) => resources.includes(resource)).flatMap(({ actions }) => actions);
  assert.equal(actionsOn("popular"), ["dynamodb:GetItem"]);
  assert.equal(actionsOn("built-in"), ["dynamodb:BatchGetItem", "dynamodb:BatchWriteItem"]);
  assert.equal(actionsOn("ingestion"), ["dynamodb:UpdateItem"]);
  assert.equal(actionsOn("campaign/a"), ["personalize:GetRecommendations"]);
});

test.run();
