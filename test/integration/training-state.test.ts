import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamoTrainingState, TRAINING_KEY } from "../../lib/recommendation/training/dynamo-state.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { keepsConditions } from "../lib/recommendation/training/memory-state.ts";
import { unique } from "../local/cloud/functions.ts";
import { suite } from "../suite.ts";

const test = suite("training table in DynamoDB");

test("keeps the conditions of the lock and of what is known of recipes", async () => {
  const client = new DynamoDBClient(clientOptions(await sharedCloud()));
  const TableName = unique("training");
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: TRAINING_KEY, AttributeType: "S" }],
      KeySchema: [{ AttributeName: TRAINING_KEY, KeyType: "HASH" }],
    }),
  );
  await keepsConditions(dynamoTrainingState(client, TableName));
});

test.run();
