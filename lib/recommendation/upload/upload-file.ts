import type { Dataset } from "../../platform/contract/recommendation.ts";
import { eachConcurrently } from "../../platform/resilience/concurrently.ts";
import type { FileFormat } from "../../settings/etl.ts";
import { batchesOf } from "./files.ts";
import { type RejectedRow, type Sent, sendBatch, UploadError, type UploadTarget } from "./send.ts";

/** The result of uploading a file. The service confirmed each accepted row in this run. */
export interface UploadedFile {
  accepted: number;
  rejected: number;
  /** The first rejected rows, sorted by line. */
  rejectedRows: RejectedRow[];
  /** Requests that were sent again. */
  retries: number;
  /** The distinct reasons why accepted records were not passed on in real time. */
  degraded: string[];
}

/** Files and target of an upload. */
interface UploadFileOptions {
  target: UploadTarget;
  dataset: Dataset;
  file: string;
  format?: FileFormat | undefined;
  /** Called with the number of rows accepted or rejected so far. */
  onProgress?: (rows: number) => void;
}

/**
 * Concurrent requests. Users and items are sent in order, because the last row of each must win. Events have no order.
 */
const PARALLEL = { user: 1, item: 1, interaction: 4 } as const satisfies Record<Dataset, number>;

/** How many rejected rows to keep for display. */
const MAX_SHOWN = 1_000;

/** The upload gives up after this many rejected rows without an accepted one: the file does not match the schema. */
const HOPELESS = 1_000;

/**
 * Uploads a file from its first row. Repeating an upload adds nothing, because users and items are replaced and events
 * keep their ids. So an interrupted upload is simply started again. Throws UploadError if the service accepts no more
 * records.
 */
export async function uploadFile(options: UploadFileOptions): Promise<UploadedFile> {
  const { target, dataset, file, format, onProgress = () => {} } = options;
  const result: UploadedFile = { accepted: 0, rejected: 0, rejectedRows: [], retries: 0, degraded: [] };
  onProgress(0);
  await eachConcurrently(batchesOf(dataset, file, { format }), PARALLEL[dataset], async (batch) => {
    add(result, await sendBatch(target, dataset, batch));
    onProgress(result.accepted + result.rejected);
    if (result.accepted === 0 && result.rejected >= HOPELESS) throw hopeless(file, result);
  });
  result.rejectedRows.sort((a, b) => a.line - b.line || (a.record ?? 0) - (b.record ?? 0));
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

/** The output that shows progress. */
interface ProgressOutput {
  /** Whether a printed line can be replaced. */
  isTerminal: boolean;
  /** Prints a line. */
  note(text: string): void;
}

const WIDTH = 30;
/** The interval between two lines if the output is not a terminal. */
const LINE_EVERY_MS = 5_000;
/** The interval between two updates of the bar. */
const BAR_EVERY_MS = 100;

/** Moves the cursor to the start of the line above and clears that line. */
const OVER_LAST_LINE = "\u001b[1A\u001b[2K";

/**
 * Creates a function that shows how many of `total` rows are done, as a bar on a terminal, and elsewhere as a line
 * every five seconds. Always shows the first and the last state.
 */
export function createProgress(
  { isTerminal, note }: ProgressOutput,
  title: string,
  total: number,
  now: () => number = () => performance.now(),
): (rows: number) => void {
  const began = now();
  let shownAt: number | undefined;
  let first = 0;
  return (rows) => {
    const time = now();
    if (shownAt !== undefined && rows < total && time - shownAt < (isTerminal ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
    const line = isTerminal ? bar(title, rows, total) : `${title}: ${count(rows)} of ${count(total)}`;
    if (shownAt === undefined) first = rows;
    const seconds = (time - began) / 1_000;
    const speed = seconds > 1 ? `, ${count(Math.round((rows - first) / seconds))} rows/s` : "";
    note(`${isTerminal && shownAt !== undefined ? OVER_LAST_LINE : ""}${line}${speed}`);
    shownAt = time;
  };
}

function bar(title: string, rows: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, rows / total);
  const filled = Math.round(share * WIDTH);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${title.padEnd(12)} [${"#".repeat(filled)}${" ".repeat(WIDTH - filled)}] ${percent} %  ${count(rows)} of ${count(total)}`;
}

const count = (number: number) => number.toLocaleString("en");
