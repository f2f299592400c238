import { tmpdir } from "node:os";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { s3ObjectStore } from "../../lib/platform/aws/s3-object-store.ts";
import { readConfig, readEnvironment } from "../../lib/platform/environment.ts";
import { dynamoBuiltIn } from "../../lib/recommendation/clients/built-in-table.ts";
import { dynamoPopularItems, dynamoTables } from "../../lib/recommendation/clients/dynamo-tables.ts";
import type { EtlSettings } from "../../lib/recommendation/etl/tasks.ts";
import { EtlEnv } from "./env.ts";
import { createHandler } from "./handler.ts";

const env = readEnvironment(EtlEnv, process.env);
const settings = readConfig<EtlSettings>(new URL("config.json", import.meta.url));
/** Lambda gives one vCPU for each 1,769 MB. Source: Lambda Developer Guide, "Configure memory". */
const VCPU_MB = 1_769;

const dynamo = new DynamoDBClient({ maxAttempts: 1 });

export const handler = createHandler(env, {
  settings,
  store: s3ObjectStore(new S3Client({ maxAttempts: 1 }), env.BUCKET),
  tables: dynamoTables(dynamo, { user: env.USERS_TABLE, item: env.ITEMS_TABLE }),
  builtIn: dynamoBuiltIn(dynamo, env.BUILT_IN_TABLE),
  popularItems: dynamoPopularItems(dynamo, env.POPULAR_ITEMS_TABLE),
  limits: {
    memoryMb: env.ENGINE_MEMORY_MB,
    threads: Math.max(1, Math.floor(Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? VCPU_MB) / VCPU_MB)),
    folder: tmpdir(),
  },
});
