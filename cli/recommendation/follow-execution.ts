import { setTimeout as sleep } from "node:timers/promises";
import type { SFNClient } from "@aws-sdk/client-sfn";
import { isTransient } from "../../lib/recommendation/etl/s3-object-store.ts";
import type { TrainingState } from "../../lib/recommendation/training/state.ts";
import { Failure } from "../errors.ts";
import type { Started } from "./start-training.ts";
import { reading } from "./target.ts";

/** What a state machine of the project does. */
export type Work = "training" | "teardown";

/** How an execution is followed. */
export interface Following {
  sfn: Pick<SFNClient, "send">;
  state: Pick<TrainingState, "lock">;
  note(line: string): void;
  intervalMs: number;
  /** Replaced in tests so that nothing sleeps. */
  wait?: (ms: number) => Promise<unknown>;
  now?: () => number;
}

/** A sign of life while nothing changes. */
const SILENCE_MS = 5 * 60_000;

/**
 * Prints what an execution does whenever that changes, until it ends, and gives its output. Throws Failure with the reason,
 * and when it cannot be watched any more.
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
  const look = async <T>(action: string, call: () => Promise<T>) => {
    try {
      return await reading(action, patiently(call));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw new Failure(`The ${work} ${name} goes on, ${GOES_ON[work]}. It cannot be watched: ${error.message}`, {
        cause: error,
      });
    }
  };
  for (;;) {
    const found = await look("states:DescribeExecution", () =>
      sfn.send(new DescribeExecutionCommand({ executionArn: arn })),
    );
    if (found?.status === "SUCCEEDED") return JSON.parse(found.output ?? "null");
    if (found && found.status !== "RUNNING" && found.status !== "PENDING_REDRIVE") {
      throw new Failure(`The ${work} ${name} ${ENDS[found.status ?? ""] ?? "ended"}: ${reasonOf(found)}`);
    }
    const lock = await look("dynamodb:GetItem", () => state.lock());
    if (lock?.run === name && lock.note) show(`${lock.note.step}: ${lock.note.detail}`);
    await wait(intervalMs);
  }
}

const GOES_ON: Readonly<Record<Work, string>> = {
  training: "`relevance status` shows where it is",
  teardown: "the same command follows it again",
};

const ENDS: Readonly<Record<string, string>> = {
  FAILED: "failed",
  TIMED_OUT: "took too long",
  ABORTED: "was stopped",
};

/** A look that fails for a moment is no reason to stop looking. */
async function patiently<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isTransient(error)) return undefined;
    throw error;
  }
}

/** The message of the function that failed; Step Functions wraps it into JSON. */
export function reasonOf({ error, cause }: { error?: string | undefined; cause?: string | undefined }): string {
  const message = messageIn(cause);
  return message ?? ([error, cause].filter((part) => part).join(": ") || "no reason is given");
}

function messageIn(cause: string | undefined): string | undefined {
  try {
    const { errorMessage } = JSON.parse(cause ?? "");
    return typeof errorMessage === "string" ? errorMessage : undefined;
  } catch {
    return undefined;
  }
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
