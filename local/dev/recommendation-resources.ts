import { CreateTableCommand } from "@aws-sdk/client-dynamodb";
import { CreateDeliveryStreamCommand } from "@aws-sdk/client-firehose";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { CreateStateMachineCommand } from "@aws-sdk/client-sfn";
import { CreateQueueCommand, GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import type { StateMachineName, TableName } from "../../lib/core/naming/names.ts";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";
import { INGESTION_KEYS } from "../../lib/recommendation/clients/accepted-events.ts";
import { POPULAR_ITEMS_KEY } from "../../lib/recommendation/etl/dynamo-tables.ts";
import { etlStateMachine, type State } from "../../lib/recommendation/etl/state-machine.ts";
import { ID_COLUMNS } from "../../lib/recommendation/records/profile.ts";
import { CHANGE_QUEUE } from "../../lib/recommendation/sync/sync-messages.ts";
import { TRAINING_KEY } from "../../lib/recommendation/training/dynamo-state.ts";
import { teardownStateMachine, trainingStateMachine } from "../../lib/recommendation/training/state-machine.ts";
import { aliasArn, type RecommendationParts } from "./recommendation-functions.ts";
import { createRole } from "./role.ts";

/** Key attributes of each table, the partition's first. */
export const TABLE_KEYS = {
  users: [ID_COLUMNS.user],
  items: [ID_COLUMNS.item],
  "popular-items": Object.keys(POPULAR_ITEMS_KEY),
  training: [TRAINING_KEY],
  ingestion: [INGESTION_KEYS.partition, INGESTION_KEYS.sort],
} as const satisfies Record<TableName, readonly string[]>;

/** Names of the tables. */
export const TABLES = Object.keys(TABLE_KEYS) as TableName[];

/** Calls of a map step at the same time: what two processors have use for. */
const MAX_CONCURRENCY = 2;

/** Makes the tables, empty. */
export async function createTables({ clients, names }: Pick<RecommendationParts, "clients" | "names">): Promise<void> {
  await Promise.all(
    TABLES.map((table) => {
      const keys: readonly string[] = TABLE_KEYS[table];
      return clients.dynamo.send(
        new CreateTableCommand({
          TableName: names.table(table),
          BillingMode: "PAY_PER_REQUEST",
          AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
          KeySchema: keys.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? "HASH" : "RANGE" })),
        }),
      );
    }),
  );
}

/** Makes the stream of events; the bucket is there already. */
export async function createStream({ cloud, clients, names }: RecommendationParts): Promise<void> {
  const role = names.role("events-delivery");
  await createRole(cloud, role);
  await clients.firehose.send(
    new CreateDeliveryStreamCommand({
      DeliveryStreamName: names.stream("events"),
      DeliveryStreamType: "DirectPut",
      ExtendedS3DestinationConfiguration: {
        RoleARN: names.roleArn(role),
        BucketARN: names.bucketArn(),
        Prefix: PREFIXES.events,
        ErrorOutputPrefix: PREFIXES.deliveryErrors,
        CompressionFormat: "GZIP",
      },
    }),
  );
}

/** Makes the queue of changes and its dead-letter queue. */
export async function createQueues({ clients: { sqs }, names }: RecommendationParts) {
  const dead = await sqs.send(new CreateQueueCommand({ QueueName: names.queue("realtime-dead-letters") }));
  const deadLetterTargetArn = await arnOf(dead.QueueUrl);
  const queue = await sqs.send(
    new CreateQueueCommand({
      QueueName: names.queue("realtime"),
      Attributes: {
        VisibilityTimeout: String(CHANGE_QUEUE.visibilityTimeoutSeconds),
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: CHANGE_QUEUE.maxReceiveCount }),
      },
    }),
  );
  return { url: queue.QueueUrl ?? "", arn: await arnOf(queue.QueueUrl) };

  async function arnOf(QueueUrl: string | undefined): Promise<string> {
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
    return Attributes?.QueueArn ?? "";
  }
}

/** Makes the state machines; what they call has its name already. */
export async function createStateMachines({ cloud, clients, names }: RecommendationParts): Promise<void> {
  const role = names.role("state-machines");
  await createRole(cloud, role);
  const etl = { functionArn: aliasArn(names, "etl"), bucket: names.bucket(), maxConcurrency: MAX_CONCURRENCY };
  const trainingArn = aliasArn(names, "training");
  const machines: Readonly<Record<StateMachineName, State>> = {
    etl: etlStateMachine(etl),
    training: trainingStateMachine({ trainingArn, etl }),
    teardown: teardownStateMachine({ trainingArn }),
  };
  await Promise.all(
    (Object.entries(machines) as [StateMachineName, State][]).map(([name, machine]) =>
      clients.states.send(
        new CreateStateMachineCommand({
          name: names.stateMachine(name),
          roleArn: names.roleArn(role),
          definition: JSON.stringify(machine),
        }),
      ),
    ),
  );
}

/** Puts the configuration files where the functions read them. */
export async function putConfiguration({ clients, names, configuration }: RecommendationParts): Promise<void> {
  await Promise.all(
    Object.entries(configuration.files).map(([path, Body]) =>
      clients.s3.send(new PutObjectCommand({ Bucket: names.bucket(), Key: `${PREFIXES.configuration}${path}`, Body })),
    ),
  );
}
