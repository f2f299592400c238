import { randomUUID } from "node:crypto";
import type { SFNClient } from "@aws-sdk/client-sfn";
import type { TrainingInput } from "../../lib/recommendation/training/task.ts";
import { Failure } from "../errors.ts";
import { shownTime } from "../terminal.ts";
import { type Started, startExecution } from "./follow-execution.ts";
import { readTraining } from "./read-status.ts";
import type { Target } from "./target.ts";

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
  const started = await startExecution("training", { sfn, names }, name, input);
  if (started) return started;
  const remedy = local ? "start `make dev` with a recommendation service" : "run `relevance deploy` first";
  throw new Failure(`There is no state machine ${names.stateMachine("training")}: ${remedy}`);
}
