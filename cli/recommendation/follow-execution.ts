import { setTimeout as sleep } from "node:timers/promises";
import type { SFNClient } from "@aws-sdk/client-sfn";
import { isTransient } from "../../lib/platform/aws/errors.ts";
import { Failure } from "../../lib/platform/failure.ts";
import { isObject, parseJson } from "../../lib/platform/json/values.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import type { TrainingState } from "../../lib/recommendation/training/state.ts";
import { reading } from "./target.ts";

/** The state machines that commands follow. */
export type Work = "training" | "teardown";

/** An execution that was started. */
export interface Started {
  name: string;
  arn: string;
}

/** Milliseconds between two polls. */
export const POLL_MS = 10_000;

/** Starts an execution. Undefined if the state machine is not there; it may be the rest of an interrupted removal. */
export async function startExecution(
  work: Work,
  { sfn, names }: { sfn: SFNClient; names: Names },
  name: string,
  input: object,
): Promise<Started | undefined> {
  const { StartExecutionCommand } = await import("@aws-sdk/client-sfn");
  const stateMachineArn = names.arn("states", `stateMachine:${names.stateMachine(work)}`);
  const command = new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) });
  try {
    const { executionArn = "" } = await reading("states:StartExecution", sfn.send(command));
    return { name, arn: executionArn };
  } catch (error) {
    if (error instanceof Error && /^StateMachine(DoesNotExist|Deleting)$/.test(error.name)) return undefined;
    throw error;
  }
}

/** Inputs for following an execution. */
interface Following {
  sfn: Pick<SFNClient, "send">;
  state: Pick<TrainingState, "lock">;
  note(line: string): void;
  intervalMs: number;
  /** Default: sleeps. */
  wait?: (ms: number) => Promise<unknown>;
  now?: () => number;
}

/** How long to poll every second at the start. */
const BEGINNING_MS = 10_000;

/** How long to wait before printing an unchanged line again. */
const SILENCE_MS = 5 * 60_000;

/** How long to retry failing calls before giving up. */
const PATIENCE_MS = 2 * 60_000;

/**
 * Prints each change of an execution until it ends, then returns its output. Throws Failure with the reason if it
 * failed or is gone, or if it can no longer be watched.
 */
export async function followExecution(work: Work, { name, arn }: Started, following: Following): Promise<unknown> {
  const { sfn, state, note, intervalMs, wait = sleep, now = () => performance.now() } = following;
  const { DescribeExecutionCommand } = await import("@aws-sdk/client-sfn");
  const began = now();
  let shown = "";
  let shownAt = began;
  const show = (line: string) => {
    if (line === shown && now() - shownAt < SILENCE_MS) return;
    note(`${clock(now() - began)}  ${line}`);
    shown = line;
    shownAt = now();
  };
  let answeredAt = began;
  const poll = async <T>(action: string, call: () => Promise<T>): Promise<T | undefined> => {
    try {
      const answer = await call();
      answeredAt = now();
      return answer;
    } catch (error) {
      if (isTransient(error) && now() - answeredAt < PATIENCE_MS) return undefined;
      if (error instanceof Error && error.name === "ExecutionDoesNotExist") {
        throw new Failure(`The ${work} ${name} is gone: ${GONE[work]}`, { cause: error });
      }
      return await reading(action, Promise.reject(error)).catch((explained: unknown) => {
        if (!(explained instanceof Failure)) throw explained;
        throw new Failure(
          `The ${work} ${name} may still be running; ${FOLLOW[work]}. It cannot be watched: ${explained.message}`,
          { cause: error },
        );
      });
    }
  };
  for (;;) {
    const found = await poll("states:DescribeExecution", () =>
      sfn.send(new DescribeExecutionCommand({ executionArn: arn })),
    );
    if (found?.status === "SUCCEEDED") return JSON.parse(found.output ?? "null");
    if (found && found.status !== "RUNNING" && found.status !== "PENDING_REDRIVE") {
      const remedy = found.error === TRAINING_ERROR ? "" : `. ${AGAIN[work]}`;
      throw new Failure(`The ${work} ${name} ${ENDS[found.status ?? ""] ?? "ended"}: ${endText(found)}${remedy}`);
    }
    const lock = found && (await poll("dynamodb:GetItem", () => state.lock()));
    if (lock?.run === name && lock.note) show(`${lock.note.step}: ${lock.note.detail}`);
    // A run that finds another one ends before it has the lock.
    const isBeginning = found !== undefined && lock?.run !== name && now() - began < BEGINNING_MS;
    await wait(isBeginning ? Math.min(intervalMs, 1_000) : intervalMs);
  }
}

/** Name of the error whose message already says what to do. */
const TRAINING_ERROR = "TrainingError";

const AGAIN: Readonly<Record<Work, string>> = {
  training: "The same command starts it again and resumes where it stopped",
  teardown: "The same command starts it again and removes the rest",
};

const FOLLOW: Readonly<Record<Work, string>> = {
  training: "`relevance status` shows its progress",
  teardown: "run the command again to follow it",
};

/** Step Functions deletes an execution 90 days after its end. The local stack deletes it when it stops. */
const GONE: Readonly<Record<Work, string>> = {
  training: "the local stack was restarted meanwhile, or it ended long ago. `relevance status` shows what is trained",
  teardown: "the local stack was restarted meanwhile, or it ended long ago. Run the command again",
};

const ENDS: Readonly<Record<string, string>> = {
  FAILED: "failed",
  TIMED_OUT: "took too long",
  ABORTED: "was stopped",
};

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** Returns the message of the function that failed, which Step Functions wraps into JSON. */
export function endText({ error, cause }: { error?: string | undefined; cause?: string | undefined }): string {
  const message = messageIn(cause);
  return message ?? ([error, cause].filter((part) => part).join(": ") || "no reason given");
}

function messageIn(cause: string | undefined): string | undefined {
  const told = parseJson(cause ?? "");
  return isObject(told) && typeof told.errorMessage === "string" ? told.errorMessage : undefined;
}
