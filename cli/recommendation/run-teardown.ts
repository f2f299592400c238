import { randomUUID } from "node:crypto";
import type { SFNClient } from "@aws-sdk/client-sfn";
import type { Names } from "../../lib/core/naming/names.ts";
import { dynamoTrainingState } from "../../lib/recommendation/training/dynamo-state.ts";
import type { Place } from "../session.ts";
import { followExecution } from "./follow-execution.ts";
import { reading } from "./target.ts";

/** Milliseconds between two polls. */
const LOOK_MS = { aws: 10_000, local: 500 };

/**
 * Removes everything that training created. Starts the teardown state machine, which stops the running training and
 * then deletes campaigns and solutions, and follows it. Does nothing if the state machine is not deployed. Throws
 * Failure with the reason if the teardown fails.
 */
export async function runTeardown({ session, names }: Place): Promise<void> {
  const { sdk, terminal, env } = session;
  const [{ SFNClient }, { DynamoDBClient }] = await Promise.all([
    import("@aws-sdk/client-sfn"),
    import("@aws-sdk/client-dynamodb"),
  ]);
  const sfn = new SFNClient({ ...sdk, maxAttempts: 3 });
  const started = await start(sfn, names);
  if (!started) return;
  terminal.note(
    "Training is stopped, campaigns and solutions are removed: Personalize can take half an hour. " +
      "Ctrl-C leaves it running; the same command resumes it.",
  );
  await followExecution("teardown", started, {
    sfn,
    state: dynamoTrainingState(new DynamoDBClient({ ...sdk, maxAttempts: 1 }), names.table("training")),
    note: terminal.note,
    intervalMs: env.AWS_ENDPOINT_URL ? LOOK_MS.local : LOOK_MS.aws,
  });
}

async function start(sfn: SFNClient, names: Names): Promise<{ name: string; arn: string } | undefined> {
  const { StartExecutionCommand } = await import("@aws-sdk/client-sfn");
  const name = `teardown-${randomUUID().slice(0, 8)}`;
  const stateMachineArn = names.arn("states", `stateMachine:${names.stateMachine("teardown")}`);
  try {
    const command = new StartExecutionCommand({ stateMachineArn, name, input: "{}" });
    const { executionArn = "" } = await reading("states:StartExecution", sfn.send(command));
    return { name, arn: executionArn };
  } catch (error) {
    // Deleting means that an earlier removal was interrupted. Such a state machine runs no executions.
    if (error instanceof Error && /^StateMachine(DoesNotExist|Deleting)$/.test(error.name)) return undefined;
    throw error;
  }
}
