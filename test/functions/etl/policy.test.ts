import * as assert from "uvu/assert";
import { etlPolicy } from "../../../functions/etl/policy.ts";
import { suite } from "../../suite.ts";

const test = suite("etl policy");

const statements = etlPolicy({
  bucket: "arn:aws:s3:::b",
  key: "arn:aws:kms:::key/k",
  usersTable: "users",
  itemsTable: "items",
  popularItemsTable: "popular",
  builtInTable: "built-in",
  logGroup: "logs",
});
const resourcesOf = (action: string) =>
  statements.filter(({ actions }) => actions.includes(action)).flatMap(({ resources }) => resources);

test("writes and removes only below etl/", () => {
  assert.equal(resourcesOf("s3:PutObject"), ["arn:aws:s3:::b/etl/*"]);
  assert.equal(resourcesOf("s3:DeleteObject"), ["arn:aws:s3:::b/etl/*"]);
});

test("reads events and files of ETL, but no configuration", () => {
  assert.equal(resourcesOf("s3:GetObject"), ["arn:aws:s3:::b/events/*", "arn:aws:s3:::b/etl/*"]);
});

test("lists the bucket without a condition, so that a missing object is missing, not forbidden", () => {
  assert.equal(
    statements.filter(({ actions }) => actions.includes("s3:ListBucket")).map(({ conditions }) => conditions),
    [undefined],
  );
});

test("only reads the tables of records", () => {
  assert.equal(resourcesOf("dynamodb:PutItem"), ["popular"]);
  assert.equal(resourcesOf("dynamodb:BatchWriteItem"), ["built-in"]);
  assert.equal(resourcesOf("dynamodb:Scan").sort(), ["built-in", "items", "users"]);
});

test("has no wildcard action", () => {
  assert.not(statements.some(({ actions }) => actions.some((action) => action.includes("*"))));
});

test.run();
