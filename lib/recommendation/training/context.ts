import type { SFNClient } from "@aws-sdk/client-sfn";
import type { PointerStore } from "../../personalize/resources/managing.ts";
import type { Personalize } from "../../personalize/resources/personalize.ts";
import { type Operation, patientCalls } from "../../platform/aws/call.ts";
import { isNamed } from "../../platform/aws/errors.ts";
import type { ObjectStore } from "../../platform/aws/object-store.ts";
import type { Names } from "../../platform/naming/names.ts";
import type { AcceptedEvents } from "../clients/accepted-events.ts";
import { findFile, runKeys } from "../etl/run-files.ts";
import { Manifest } from "../etl/tasks.ts";
import type { TrainingSettings } from "./settings.ts";
import type { TrainingState } from "./state.ts";

/** The settings and clients that the steps of a training use. */
export interface TrainingContext {
  settings: TrainingSettings;
  names: Names;
  personalize: Personalize;
  pointers: PointerStore;
  store: ObjectStore;
  state: TrainingState;
  executions: Executions;
  /** Adds up the events accepted on these days. */
  accepted(days: readonly string[]): Promise<AcceptedEvents>;
  bucket: string;
  /** Role that Personalize assumes to read the bucket. */
  importRoleArn: string;
  /** personalize.log_lookback_days of project.yaml. */
  logLookbackDays: number;
  /** How long Firehose buffers events, in seconds. */
  bufferSeconds: number;
  /** Polling intervals, in seconds. */
  looks: Looks;
  /** Epoch milliseconds. */
  now(): number;
  /** Writes a line to the log. */
  print(line: string): void;
}

/** Reads and stops executions of the state machines. */
export interface Executions {
  isRunning(arn: string): Promise<boolean>;
  /** Stops an execution with this error and cause. Does nothing if it has ended. */
  stop(arn: string, error: string, cause: string): Promise<void>;
}

/** Seconds between two polls, by step. */
interface Looks {
  arrivals: number;
  /** Imports take at least a few minutes. */
  imports: number;
  /** Trainings take an hour or more. */
  recipes: number;
  teardown: number;
}

/**
 * Polling intervals in AWS. An execution's history holds at most 25,000 events and each poll adds nine, so these
 * intervals leave room for a training of two days.
 */
export const MAX_POLLS: Looks = { arrivals: 60, imports: 60, recipes: 120, teardown: 30 };

/** The result of a polling step. `seconds` is how long to wait before the next poll. */
export interface Readiness {
  ready: boolean;
  seconds: number;
}

/** Identifies a training: its chain of runs, and the data it trains on. */
export interface RecipeRun {
  origin: string;
  /** Digest of the data. */
  data: string;
}

/** A failure that a retry cannot fix. The execution reports the message, which says what to do, as its cause. */
export class TrainingError extends Error {
  override name = "TrainingError";
}

/** Reads the manifest of a run. Throws TrainingError if it has none. */
export async function requireManifest(store: ObjectStore, run: string): Promise<Manifest> {
  const manifest = await findFile(store, runKeys(run).manifest, Manifest);
  if (manifest) return manifest;
  throw new TrainingError(`The run ${run} has no manifest: its ETL did not finish. Start the training again`);
}

/** Implements Executions with Step Functions. The client must have its own retries turned off. */
export function sfnExecutions(client: Pick<SFNClient, "send">): Executions {
  const retried = patientCalls(30_000, 6);
  const call = <T>(operation: Operation<T>) =>
    retried(operation).catch((error: unknown) => {
      if (!isNamed(error, "ExecutionDoesNotExist")) throw error;
    });
  const isRunning = async (executionArn: string) => {
    const { DescribeExecutionCommand } = await import("@aws-sdk/client-sfn");
    const found = await call((options) => client.send(new DescribeExecutionCommand({ executionArn }), options));
    // PENDING_REDRIVE counts as running: the execution is about to be redriven.
    return found?.status === "RUNNING" || found?.status === "PENDING_REDRIVE";
  };
  return {
    isRunning,
    async stop(executionArn, error, cause) {
      if (!(await isRunning(executionArn))) return;
      const { StopExecutionCommand } = await import("@aws-sdk/client-sfn");
      await call((options) => client.send(new StopExecutionCommand({ executionArn, error, cause }), options));
    },
  };
}
