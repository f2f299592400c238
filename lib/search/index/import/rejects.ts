import { RunFailure } from "../rebuild/failure.ts";
import type { RunCalls } from "../rebuild/run-calls.ts";
import { runIndex } from "../rebuild/run-record.ts";
import { importWriter } from "../rebuild/write.ts";

/** A document of a file that was not written. */
export interface ImportReject {
  /** Where it begins in the uncompressed file, in bytes. */
  at: number;
  id?: string;
  reason: string;
  text: string;
}

/** Characters of a rejected document that are kept: a page of a thousand fits into one answer of the gateway. */
const KEPT = 1_500;

/** Keeps the rejected documents of a slice in the index of the run. Throws RunFailure if that does not take one. */
export async function storeRejects(
  calls: RunCalls,
  run: string,
  slice: number,
  file: string,
  rejects: readonly ImportReject[],
): Promise<void> {
  const documents = rejects.map(({ at, id, reason, text }, place) => ({
    id: `reject-${slice}-${place}`,
    source: JSON.stringify({ reject: { id: id ?? "", reason, file, at, text: text.slice(0, KEPT) } }),
  }));
  for (const outcome of await importWriter(calls, runIndex(run))(documents)) {
    if (outcome.kind === "rejected") throw new RunFailure(`A rejected document could not be kept: ${outcome.reason}`);
  }
}
