import { CreateTableCommand, DynamoDBClient, GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import * as assert from "uvu/assert";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: DynamoDB");
const dynamo = new DynamoDBClient(clientOptions(await sharedCloud()));

async function createTable(): Promise<string> {
  const TableName = unique("table");
  await dynamo.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [{ AttributeName: "ID", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "ID", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
  return TableName;
}

test("counts each of many concurrent additions", async () => {
  const TableName = await createTable();
  const Key = { ID: { S: "counter" } };
  const add = () =>
    dynamo.send(
      new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression: "ADD ACCEPTED :one",
        ExpressionAttributeValues: { ":one": { N: "1" } },
      }),
    );
  await Promise.all(Array.from({ length: 200 }, add));
  const { Item } = await dynamo.send(new GetItemCommand({ TableName, Key }));
  assert.equal(Item?.ACCEPTED, { N: "200" });
});

test.run();
