import { readFileSync } from "node:fs";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import * as v from "valibot";
import { dynamoPopularItems, dynamoTables } from "../../lib/recommendation/etl/dynamo-tables.ts";
import { s3ObjectStore } from "../../lib/recommendation/etl/s3-object-store.ts";
import { DefinitionFiles } from "../../lib/recommendation/etl/settings.ts";
import { EtlEnv } from "./env.ts";
import { createHandler } from "./handler.ts";

const env = v.parse(EtlEnv, process.env);
const definitions = v.parse(DefinitionFiles, JSON.parse(readFileSync(new URL("config.json", import.meta.url), "utf8")));
const dynamo = new DynamoDBClient({ maxAttempts: 1 });

export const handler = createHandler(env, {
  definitions,
  store: s3ObjectStore(new S3Client({ maxAttempts: 1 }), env.BUCKET),
  tables: dynamoTables(dynamo, { user: env.USERS_TABLE, item: env.ITEMS_TABLE }),
  popularItems: dynamoPopularItems(dynamo, env.POPULAR_ITEMS_TABLE),
});
