import type { Dataset } from "../../config/avro.ts";
import type { Checkpoint, Checkpoints } from "./checkpoint.ts";
import { batchesOf, type Line } from "./files.ts";
import { type RejectedRow, type Sent, sendBatch, type UploadTarget } from "./send.ts";
import { UploadError } from "./upload-error.ts";

/** What became of a file. */
export interface UploadedFile {
  accepted: number;
  rejected: number;
  /** The first of them, by line. */
  rejectedRows: RejectedRow[];
  /** Rows that an earlier upload, which was cut off, had settled; they are in the counts. */
  resumedAfter: number;
  /** Requests that were sent again. */
  retries: number;
  /** Why the real-time path did not take what was accepted; each reason once. */
  degraded: string[];
}

/** What is uploaded, and where to. */
export interface UploadFileOptions {
  target: UploadTarget;
  checkpoints: Checkpoints;
  dataset: Dataset;
  file: string;
  /** Told how many rows are settled, the resumed ones included. */
  onProgress?: (rows: number) => void;
}

/**
 * Requests in flight. Of a user or item the last row is to win, so those go one after the other; events have no order.
 */
const PARALLEL = { user: 1, item: 1, interaction: 4 } as const satisfies Record<Dataset, number>;

/** Rejected rows that are kept to be shown. */
const MAX_SHOWN = 1_000;

/** When as many rows were rejected and none accepted, the file is of another shape than the schema. */
const HOPELESS = 1_000;

/** Batches between two checkpoints. */
const CHECKPOINT_EVERY = 4;

/**
 * Uploads a file, and goes on where an earlier upload of it was cut off. Throws UploadError when the service takes
 * nothing more; what was settled until then is remembered.
 */
export async function uploadFile(options: UploadFileOptions): Promise<UploadedFile> {
  const { target, checkpoints, dataset, file, onProgress = () => {} } = options;
  const before: Checkpoint = checkpoints.read(file) ?? { rows: 0, accepted: 0, rejected: 0 };
  const result: UploadedFile = {
    accepted: before.accepted,
    rejected: before.rejected,
    rejectedRows: [],
    resumedAfter: before.rows,
    retries: 0,
    degraded: [],
  };
  const settled = inOrder(before, (checkpoint, batches) => {
    onProgress(checkpoint.rows);
    if (batches % CHECKPOINT_EVERY === 0) checkpoints.write(file, checkpoint);
  });
  onProgress(before.rows);
  try {
    await forEach(batchesOf(dataset, file, before.rows), PARALLEL[dataset], async (batch, number) => {
      const sent = await sendBatch(target, dataset, batch);
      add(result, sent);
      settled.add(number, batch, sent);
      if (result.accepted === 0 && result.rejected >= HOPELESS) throw hopeless(file, result);
    });
  } catch (error) {
    checkpoints.write(file, settled.checkpoint());
    throw error;
  }
  checkpoints.clear(file);
  result.rejectedRows.sort((a, b) => a.line - b.line);
  return result;
}

function add(result: UploadedFile, { accepted, rejected, degraded, retries }: Sent): void {
  result.accepted += accepted;
  result.rejected += rejected.length;
  result.retries += retries;
  result.rejectedRows.push(...rejected.slice(0, MAX_SHOWN - result.rejectedRows.length));
  for (const reason of degraded) if (!result.degraded.includes(reason)) result.degraded.push(reason);
}

function hopeless(file: string, { rejected, rejectedRows }: UploadedFile): UploadError {
  const [first] = rejectedRows;
  const issues = first?.issues.map(({ path, message }) => `${path} ${message}`.trim()).join("; ") ?? "";
  return new UploadError(
    `${file}: all of the first ${rejected} rows were rejected. Line ${first?.line}: ${issues}\n` +
      "Is the deployed schema made of other files? `relevance schema-generation` makes it of these",
    true,
  );
}

/** Batches end in any order; a checkpoint covers those before which all have ended. */
function inOrder(before: Checkpoint, onCheckpoint: (checkpoint: Checkpoint, batches: number) => void) {
  const waiting = new Map<number, Checkpoint>();
  const reached = { ...before };
  let next = 0;
  return {
    add(number: number, batch: readonly Line[], { accepted, rejected }: Sent) {
      waiting.set(number, { rows: batch.length, accepted, rejected: rejected.length });
      for (let done = waiting.get(next); done; done = waiting.get(next)) {
        waiting.delete(next);
        next += 1;
        reached.rows += done.rows;
        reached.accepted += done.accepted;
        reached.rejected += done.rejected;
        onCheckpoint({ ...reached }, next);
      }
    },
    checkpoint: (): Checkpoint => ({ ...reached }),
  };
}

/** Works on so many values at a time. After an error nothing new is begun; what is under way is waited for. */
async function forEach<T>(
  values: AsyncGenerator<T>,
  parallel: number,
  work: (value: T, number: number) => Promise<void>,
): Promise<void> {
  let number = 0;
  let failed = false;
  const worker = async () => {
    try {
      while (!failed) {
        // Calls queue up in the generator, so workers can share it.
        const { value, done } = await values.next();
        if (done || failed) return;
        await work(value, number++);
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: parallel }, worker));
  await values.return(undefined);
  const failure = ends.find((end) => end.status === "rejected");
  if (failure) throw failure.reason;
}
