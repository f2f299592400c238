import { randomUUID } from "node:crypto";
import type { SFNClient } from "@aws-sdk/client-sfn";
import type { TrainingInput } from "../../lib/recommendation/training/task.ts";
import { Failure } from "../errors.ts";
import { readTraining } from "./read-status.ts";
import { shownTime } from "./table.ts";
import { reading, type Target } from "./target.ts";

/** An execution that was started. */
export interface Started {
  name: string;
  arn: string;
}

/** Starts a training. Throws Failure if another one is running or the service is not deployed. */
export async function startTraining(target: Target, sfn: SFNClient, input: TrainingInput): Promise<Started> {
  const { names, local } = target;
  const other = await readTraining(target);
  if (other?.running) {
    throw new Failure(
      `The training ${other.run} has been running since ${shownTime(other.startedAt)}: wait for it, \`relevance status\` shows its progress`,
    );
  }
  const name = `${input.mode}-${new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14)}-${randomUUID().slice(0, 4)}`;
  const stateMachineArn = names.arn("states", `stateMachine:${names.stateMachine("training")}`);
  const { StartExecutionCommand } = await import("@aws-sdk/client-sfn");
  try {
    const command = new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) });
    const { executionArn = "" } = await reading("states:StartExecution", sfn.send(command));
    return { name, arn: executionArn };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "StateMachineDoesNotExist") throw error;
    const remedy = local ? "start `make dev` with a recommendation service" : "run `relevance deploy` first";
    throw new Failure(`There is no state machine ${names.stateMachine("training")}: ${remedy}`, { cause: error });
  }
}
