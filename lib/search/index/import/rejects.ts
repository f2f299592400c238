import { pathOf, type RunCalls } from "../rebuild/run-calls.ts";
import { runIndex } from "../rebuild/run-record.ts";
import { chunksOf } from "../rebuild/write.ts";

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

/** Keeps the rejected documents of a slice in the index of the run. */
export async function storeRejects(
  calls: RunCalls,
  run: string,
  slice: number,
  file: string,
  rejects: readonly ImportReject[],
): Promise<void> {
  const lines = rejects.map(({ at, id, reason, text }, place) => {
    const reject = { id: id ?? "", reason, file, at, text: text.slice(0, KEPT) };
    return `${JSON.stringify({ index: { _id: `reject-${slice}-${place}` } })}\n${JSON.stringify({ reject })}\n`;
  });
  for (const chunk of chunksOf(lines, Buffer.byteLength)) {
    await calls.send({
      method: "POST",
      path: pathOf(runIndex(run), "_bulk"),
      headers: { "content-type": "application/x-ndjson" },
      body: chunk.join(""),
    });
  }
}
