import { readFileSync } from "node:fs";
import { CreateTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateDeliveryStreamCommand, type FirehoseClient } from "@aws-sdk/client-firehose";
import { CreateRoleCommand, EntityAlreadyExistsException, IAMClient, PutRolePolicyCommand } from "@aws-sdk/client-iam";
import {
  CreateAliasCommand,
  CreateFunctionCommand,
  type LambdaClient,
  ResourceConflictException,
  UpdateAliasCommand,
  UpdateFunctionCodeCommand,
} from "@aws-sdk/client-lambda";
import { DELIVERY_STREAMS } from "@relevance/lib/infrastructure/delivery-streams.ts";
import type { FunctionValues } from "@relevance/lib/infrastructure/functions.ts";
import {
  type FunctionName,
  LIVE_ALIAS,
  type Names,
  type StreamName,
  type TableName,
} from "@relevance/lib/platform/naming/names.ts";
import { TABLE_KEYS, TABLES } from "@relevance/lib/recommendation/records/tables.ts";
import { rootOptions } from "@relevance/local-aws/cloud/account.ts";
import type { Cloud } from "@relevance/local-aws/cloud/front.ts";

/** Creates empty tables, by default all. */
export async function createTables(
  dynamo: DynamoDBClient,
  names: Names,
  tables: readonly TableName[] = TABLES,
): Promise<void> {
  await Promise.all(
    tables.map((table) => {
      const AttributeName = TABLE_KEYS[table];
      return dynamo.send(
        new CreateTableCommand({
          TableName: names.table(table),
          BillingMode: "PAY_PER_REQUEST",
          AttributeDefinitions: [{ AttributeName, AttributeType: "S" }],
          KeySchema: [{ AttributeName, KeyType: "HASH" }],
        }),
      );
    }),
  );
}

/** The cloud and the names to create a resource with a role. */
interface CloudNames {
  cloud: Pick<Cloud, "endpoint">;
  names: Names;
}

/** Creates a Firehose stream that writes to the project's bucket. The bucket must exist. */
export async function createStream(
  firehose: FirehoseClient,
  { cloud, names }: CloudNames,
  name: StreamName,
): Promise<void> {
  const { role, prefix, errorPrefix } = DELIVERY_STREAMS[name];
  await createRole(cloud, names.role(role));
  await firehose.send(
    new CreateDeliveryStreamCommand({
      DeliveryStreamName: names.stream(name),
      DeliveryStreamType: "DirectPut",
      ExtendedS3DestinationConfiguration: {
        RoleARN: names.roleArn(names.role(role)),
        BucketARN: names.bucketArn(),
        Prefix: prefix,
        ErrorOutputPrefix: errorPrefix,
        CompressionFormat: "GZIP",
      },
    }),
  );
}

/** Creates a function from its archive, with the alias `live`, or replaces the code of an existing one. */
export async function createFunction(
  lambda: LambdaClient,
  { cloud, names }: CloudNames,
  name: FunctionName,
  { zip, environment, memoryMb, timeoutSeconds }: FunctionValues & { zip: string },
): Promise<void> {
  const role = names.functionRole(name);
  await createRole(cloud, role);
  const FunctionName = names.function(name);
  const ZipFile = readFileSync(zip);
  const created = await lambda
    .send(
      new CreateFunctionCommand({
        FunctionName,
        Runtime: "nodejs22.x",
        Handler: "index.handler",
        Role: names.roleArn(role),
        Code: { ZipFile },
        Timeout: timeoutSeconds,
        MemorySize: memoryMb,
        Environment: { Variables: { ...environment } },
        Publish: true,
      }),
    )
    .catch((error: unknown) => {
      if (!(error instanceof ResourceConflictException)) throw error;
    });
  const { Version } =
    created ?? (await lambda.send(new UpdateFunctionCodeCommand({ FunctionName, ZipFile, Publish: true })));
  const alias = { FunctionName, Name: LIVE_ALIAS, FunctionVersion: Version ?? "1" };
  await (created ? lambda.send(new CreateAliasCommand(alias)) : lambda.send(new UpdateAliasCommand(alias)));
}

const TRUSTS_NOBODY = JSON.stringify({ Version: "2012-10-17", Statement: [] });

/** Creates a role in the local cloud, unless it exists. By default no service may assume it. */
export async function createRole(
  cloud: Pick<Cloud, "endpoint">,
  RoleName: string,
  AssumeRolePolicyDocument = TRUSTS_NOBODY,
): Promise<void> {
  try {
    await iam(cloud).send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
  } catch (error) {
    if (!(error instanceof EntityAlreadyExistsException)) throw error;
  }
}

/** Adds a policy to a role. */
export async function putRolePolicy(
  cloud: Pick<Cloud, "endpoint">,
  RoleName: string,
  PolicyName: string,
  PolicyDocument: string,
): Promise<void> {
  await iam(cloud).send(new PutRolePolicyCommand({ RoleName, PolicyName, PolicyDocument }));
}

const iam = (cloud: Pick<Cloud, "endpoint">) => new IAMClient(rootOptions(cloud));
