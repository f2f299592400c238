import type * as v from "valibot";
import { LambdaEventSourceMapping } from "#aws/lambda-event-source-mapping";
import type { SqsQueue } from "#aws/sqs-queue";
import type { RealtimeSyncEnv } from "../../functions/realtime-sync/env.ts";
import { realtimeSyncPolicy } from "../../functions/realtime-sync/policy.ts";
import { CHANGE_QUEUE } from "../../lib/recommendation/sync/change-queue.ts";
import { lambdaFunction } from "../constructs/function.ts";
import type { ProjectStack } from "../project-stack.ts";
import { functionValues } from "./functions.ts";
import { useTables } from "./tables.ts";

/** Adds the queue of changed users and items, and the dead-letter queue for those that cannot be synchronized. */
export function changeQueue(stack: ProjectStack): SqsQueue {
  const { names } = stack;
  const dead = stack.queue("dead-letters", names.queue("realtime-dead-letters"), {
    // The retention counts from when the message was first sent.
    messageRetentionSeconds: CHANGE_QUEUE.retentionDays * 86_400,
  });
  return stack.queue("changes", names.queue("realtime"), {
    visibilityTimeoutSeconds: CHANGE_QUEUE.visibilityTimeoutSeconds,
    messageRetentionSeconds: CHANGE_QUEUE.retentionDays * 86_400,
    redrivePolicy: JSON.stringify({
      deadLetterTargetArn: dead.arn,
      maxReceiveCount: CHANGE_QUEUE.maxReceiveCount,
    }),
  });
}

/** Adds the function that sends changed users and items to Personalize at the rate that Personalize accepts. */
export function realtimeSync(stack: ProjectStack, queue: SqsQueue, keyArn: string): void {
  const { names } = stack;
  const table = (name: "users" | "items") => names.arn("dynamodb", `table/${names.table(name)}`);
  const { "realtime-sync": values } = functionValues(stack);
  const sync = lambdaFunction(stack, {
    name: "realtime-sync",
    description: "Changed users and items to Personalize",
    ...values,
    environment: values.environment satisfies v.InferInput<typeof RealtimeSyncEnv>,
    statements: [
      ...realtimeSyncPolicy({
        queue: names.arn("sqs", names.queue("realtime")),
        usersTable: table("users"),
        itemsTable: table("items"),
        usersDataset: names.datasetArn("user"),
        itemsDataset: names.datasetArn("item"),
        logGroup: names.arn("logs", `log-group:${names.functionLogGroup("realtime-sync")}`),
      }),
      useTables(stack, keyArn),
    ],
    logKeyArn: keyArn,
  });
  new LambdaEventSourceMapping(stack, "changes-to-realtime-sync", {
    eventSourceArn: queue.arn,
    functionName: sync.alias.arn,
    batchSize: CHANGE_QUEUE.batchSize,
    functionResponseTypes: ["ReportBatchItemFailures"],
    scalingConfig: { maximumConcurrency: CHANGE_QUEUE.maximumConcurrency },
    dependsOn: sync.ready,
  });
}
