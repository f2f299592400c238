import { concurrently } from "../resilience/concurrently.ts";
import type { Deadline } from "../resilience/deadline.ts";
import { lazyClient } from "../resilience/once.ts";
import { grouped, retryUnprocessed } from "./call.ts";
import { type StoreFailure, whyLeft } from "./store-failure.ts";

/**
 * Stores lines in the bucket. Never rejects. Returns the failures of lines that were not accepted, by index of the
 * line.
 */
export type RecordStream = (lines: readonly string[], deadline: Deadline) => Promise<ReadonlyMap<number, StoreFailure>>;

/**
 * The size of a record into which several lines are packed, because Firehose rounds each record up to a multiple of 5
 * KB for billing. At this size, rounding costs less than a tenth, and a rejected record is only a part of the request.
 */
const RECORD_BYTES = 64 * 1_024;

/** The most records and bytes in one PutRecordBatch call. Source: API reference. */
export const BATCH_LIMITS = { count: 500, bytes: 4 * 1_024 * 1_024 };

interface StreamRecord {
  Data: Buffer;
  indexes: readonly number[];
}

/**
 * Implements RecordStream with a delivery stream, which failures call `upstream`. The first call loads the SDK, whose own
 * retries are off.
 */
export function firehoseLines(stream: string, upstream: string, timeoutMs: number): RecordStream {
  const client = lazyClient(
    () => import("@aws-sdk/client-firehose"),
    (sdk) => new sdk.FirehoseClient({ maxAttempts: 1 }),
  );
  return async (lines, deadline) => {
    const results = await concurrently(requestsOf(packed(lines)), 1, (batch) =>
      retryUnprocessed(batch, { deadline, timeoutMs }, async (left, abortSignal) => {
        const [{ PutRecordBatchCommand }, firehose] = await client();
        const Records = left.map(({ Data }) => ({ Data }));
        const command = new PutRecordBatchCommand({ DeliveryStreamName: stream, Records });
        const { RequestResponses = [] } = await firehose.send(command, { abortSignal });
        return left.filter((_, index) => RequestResponses[index]?.RecordId === undefined);
      }),
    );
    return new Map(
      results.flatMap((result) => {
        const failure = whyLeft(upstream, [result]);
        return result.left.flatMap(({ indexes }) => indexes.map((index) => [index, failure] as const));
      }),
    );
  };
}

/** Groups records into calls of PutRecordBatch. */
export const requestsOf = (records: readonly StreamRecord[]): StreamRecord[][] =>
  grouped(records, ({ Data }) => Data.length, BATCH_LIMITS);

/** Packs lines into records of at most 64 KiB. A longer line becomes a record of its own. */
export function packed(lines: readonly string[]): StreamRecord[] {
  return grouped(
    lines.map((line, index) => ({ bytes: Buffer.from(line), index })),
    ({ bytes }) => bytes.length,
    { bytes: RECORD_BYTES, count: Number.POSITIVE_INFINITY },
  ).map((group) => ({
    Data: Buffer.concat(group.map(({ bytes }) => bytes)),
    indexes: group.map(({ index }) => index),
  }));
}
