import { RunFailure } from "../../lib/search/index/rebuild/failure.ts";
import { createPace } from "../../lib/search/index/rebuild/pace.ts";
import { workOn } from "../../lib/search/index/rebuild/run.ts";
import { createRunCalls, type RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import type { RunRecord } from "../../lib/search/index/rebuild/run-record.ts";
import type { Context } from "../command.ts";
import { Failure } from "../errors.ts";
import { embeddingWriter } from "./embedding-writer.ts";
import type { Gateway } from "./gateway.ts";

/** Calls of one run at a time, at most. */
const MOST_CALLS = 8;

/** The longest that writes are held: below the 28 seconds of a gateway's request. */
const HOLD_MS = 20_000;

/** Returns the calls of a run, through the gateway. */
export function runCalls({ cluster }: Gateway, signal?: AbortSignal): RunCalls {
  return createRunCalls({ cluster, pace: createPace(MOST_CALLS), signal });
}

/** Runs an operation of the engine and reports its failures as those of the command. */
export async function reported<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw error instanceof RunFailure ? new Failure(error.message, { cause: error }) : error;
  }
}

/** Works on a run until it is done. Ctrl-C leaves it, to be resumed. */
export async function followRun(
  gateway: Gateway,
  { id, thenSwitch }: { id: string; thenSwitch: boolean },
  { terminal }: Context,
): Promise<RunRecord> {
  const left = new AbortController();
  const leave = () => {
    terminal.note(`\nLeaving the run. Go on with: relevance index rebuild --resume ${id}`);
    left.abort();
  };
  process.once("SIGINT", leave);
  try {
    return await reported(() =>
      workOn({
        calls: runCalls(gateway, left.signal),
        id,
        thenSwitch,
        holdMs: HOLD_MS,
        most: MOST_CALLS,
        embeddingWriter: embeddingWriter(gateway),
        onProgress: (record) => terminal.note(progressText(record)),
      }),
    );
  } finally {
    process.off("SIGINT", leave);
  }
}

/** Returns one line about the progress of a run. */
export function progressText({ passes, shards, tally }: RunRecord): string {
  const states = Object.values(shards);
  const sum = (values: number[]) => values.reduce((total, value) => total + value + 1, 0);
  const marked = sum(states.map(({ mark }) => mark));
  const copied = marked === 0 ? 100 : Math.floor((100 * sum(states.map((state) => state.copied))) / marked);
  const verified = marked === 0 ? 100 : Math.floor((100 * sum(states.map((state) => state.verified))) / marked);
  return `pass ${passes + 1}: ${copied}% copied, ${verified}% verified; ${tallyText({ tally })}`;
}

/** Returns what a run has done with documents. The sum of the last three is the first. */
export function tallyText({ tally }: Pick<RunRecord, "tally">): string {
  const { read, written, unchanged, rejected, deleted } = tally;
  return `${read} read, ${written} written, ${unchanged} unchanged, ${rejected} rejected; ${deleted} deleted`;
}
