import { type FirehoseClient, PutRecordBatchCommand } from "@aws-sdk/client-firehose";
import { type Deadline, retry } from "../resilience/deadline.ts";
import { grouped } from "./call.ts";
import { BATCH_LIMITS } from "./record-stream.ts";

/** Attempts for records that Firehose rejects. Usually the time runs out first. */
const ATTEMPTS = 8;

/** The outcome of one PutRecordBatch: the error code of each record in order, undefined if it was accepted. */
export type BatchOutcome = readonly (string | undefined)[];

/** Calls that deliver lines. */
export interface LineClients {
  /** Calls PutRecordBatch once, until the signal aborts it. Throws if the whole call failed. */
  putRecordBatch(stream: string, records: readonly Buffer[], signal: AbortSignal): Promise<BatchOutcome>;
  /** Replaced in tests so that nothing sleeps. */
  wait?: (ms: number) => Promise<unknown>;
}

/** Returns what calls PutRecordBatch. */
export function firehoseBatches(firehose: FirehoseClient): LineClients["putRecordBatch"] {
  return async (DeliveryStreamName, records, abortSignal) => {
    const Records = records.map((Data) => ({ Data }));
    const answer = await firehose.send(new PutRecordBatchCommand({ DeliveryStreamName, Records }), { abortSignal });
    return (answer.RequestResponses ?? []).map(({ ErrorCode }) => ErrorCode);
  };
}

/** Sends lines to a Firehose stream, in order, until it has accepted all. Throws when the time or the attempts run out. */
export async function deliverLines(
  lines: readonly string[],
  stream: string,
  clients: LineClients,
  deadline: Deadline,
): Promise<void> {
  for (const batch of packBatches(packRecords(lines))) await deliver(batch, stream, clients, deadline);
}

async function deliver(batch: readonly Buffer[], stream: string, clients: LineClients, deadline: Deadline) {
  let left = batch;
  await retry(
    async () => {
      const signal = AbortSignal.timeout(Math.max(1, Math.floor(deadline.remaining())));
      const sent = left;
      const outcome = await clients.putRecordBatch(stream, sent, signal);
      left = sent.filter((_, index) => outcome[index] !== undefined);
      if (left.length > 0) {
        const codes = [...new Set(outcome.filter((code) => code !== undefined))].join(", ");
        throw new Error(`Firehose refused ${left.length} of ${sent.length} records (${codes}); Lambda tries again`);
      }
    },
    { deadline, attempts: ATTEMPTS, retryable, ...(clients.wait && { wait: clients.wait }) },
  );
}

/** Returns whether a retry may help, unlike after a missing permission or stream. */
function retryable(error: unknown): boolean {
  const { $fault, name = "" } = error as { $fault?: string; name?: string };
  return $fault !== "client" || /Throttl|LimitExceeded|TooManyRequests/.test(name);
}

/** The largest record of Firehose before encoding, in bytes: 1,000 KiB. */
export const MAX_RECORD_BYTES = 1_024_000;

/**
 * Packs lines into records, in order, with a newline after each. Fills the records, since Firehose bills each as at
 * least 5 KB. Never splits a line, since CloudWatch Logs delivers none above 256 KB.
 */
export function packRecords(lines: readonly string[], maxBytes = MAX_RECORD_BYTES): Buffer[] {
  const bytes = lines.map((line) => Buffer.from(`${line}\n`));
  const limits = { bytes: maxBytes, count: Number.POSITIVE_INFINITY };
  return grouped(bytes, sizeOf, limits).map((group) => Buffer.concat(group));
}

/** Groups records into calls of PutRecordBatch. */
export function packBatches(records: readonly Buffer[]): Buffer[][] {
  return grouped(records, sizeOf, BATCH_LIMITS);
}

const sizeOf = ({ length }: Buffer) => length;
