import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { dynamoTrainingState } from "../../lib/recommendation/training/state.ts";
import { createTables } from "../../packages/local/dev/resources.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { keepsConditions } from "../lib/recommendation/training/memory-state.ts";
import { suite } from "../suite.ts";

const test = suite("training table in DynamoDB");

test("keeps the conditions on the lock and on the records of recipes", async () => {
  const cloud = await sharedCloud();
  const client = new DynamoDBClient(clientOptions(cloud));
  const names = namesOf({ project: unique("state").slice(0, 18), account: cloud.accountId, region: cloud.region });
  await createTables(client, names, ["training"]);
  await keepsConditions(dynamoTrainingState(client, names.table("training")));
});

test.run();
