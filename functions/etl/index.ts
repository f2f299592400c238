import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import * as v from "valibot";
import { dynamoPopularItems, dynamoTables } from "../../lib/etl/dynamo-tables.ts";
import { s3ObjectStore } from "../../lib/etl/s3-object-store.ts";
import { EtlEnv } from "./env.ts";
import { createHandler } from "./handler.ts";

const env = v.parse(EtlEnv, process.env);
const dynamo = new DynamoDBClient({ maxAttempts: 1 });

export const handler = createHandler(env, {
  store: s3ObjectStore(new S3Client({ maxAttempts: 1 }), env.BUCKET),
  tables: dynamoTables(dynamo, { user: env.USERS_TABLE, item: env.ITEMS_TABLE }),
  popularItems: dynamoPopularItems(dynamo, env.POPULAR_ITEMS_TABLE),
});
