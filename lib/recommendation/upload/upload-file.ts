import type { Dataset } from "../../config/avro.ts";
import { batchesOf } from "./files.ts";
import { type RejectedRow, type Sent, sendBatch, type UploadTarget } from "./send.ts";
import { UploadError } from "./upload-error.ts";

/** The result of uploading a file. Each accepted row was confirmed by the service in this run. */
export interface UploadedFile {
  accepted: number;
  rejected: number;
  /** The first of them, by line. */
  rejectedRows: RejectedRow[];
  /** Requests that were sent again. */
  retries: number;
  /** Why accepted records were not passed on in real time; each reason once. */
  degraded: string[];
}

/** What is uploaded, and where to. */
export interface UploadFileOptions {
  target: UploadTarget;
  dataset: Dataset;
  file: string;
  /** Called with the number of rows that were accepted or rejected so far. */
  onProgress?: (rows: number) => void;
}

/** Requests in flight. The last row of a user or item must win, so those are sent in order; events have no order. */
const PARALLEL = { user: 1, item: 1, interaction: 4 } as const satisfies Record<Dataset, number>;

/** Rejected rows that are kept for display. */
const MAX_SHOWN = 1_000;

/** After this many rejected rows and no accepted one, the file does not match the schema. */
const HOPELESS = 1_000;

/**
 * Uploads a file from its first row. A repeat adds nothing: users and items are replaced, and events keep their ids, so an
 * upload that was interrupted is simply started again. Throws UploadError when the service accepts nothing more.
 */
export async function uploadFile(options: UploadFileOptions): Promise<UploadedFile> {
  const { target, dataset, file, onProgress = () => {} } = options;
  const result: UploadedFile = { accepted: 0, rejected: 0, rejectedRows: [], retries: 0, degraded: [] };
  onProgress(0);
  await forEach(batchesOf(dataset, file), PARALLEL[dataset], async (batch) => {
    add(result, await sendBatch(target, dataset, batch));
    onProgress(result.accepted + result.rejected);
    if (result.accepted === 0 && result.rejected >= HOPELESS) throw hopeless(file, result);
  });
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
      "Was the deployed schema generated from other files? `relevance schema-generation` generates it from these",
    true,
  );
}

/** Works on `parallel` values at a time. After an error it starts nothing more and waits for what is in progress. */
async function forEach<T>(
  values: AsyncGenerator<T>,
  parallel: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  let failed = false;
  const worker = async () => {
    try {
      while (!failed) {
        // Calls queue up in the generator, so workers can share it.
        const { value, done } = await values.next();
        if (done || failed) return;
        await work(value);
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
