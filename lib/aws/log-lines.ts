import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type FirehoseClient, PutRecordBatchCommand } from "@aws-sdk/client-firehose";
import type { CloudWatchLogsDecodedData, CloudWatchLogsEvent, SQSEvent } from "aws-lambda";
import * as v from "valibot";
import { isObject, parseJson } from "../core/json/values.ts";
import { isErrorLine, isRequestLogLine, UNREADABLE_LINES } from "../core/request-log/kinds.ts";
import { type Deadline, deadlineIn, type Invocation, retry } from "../core/resilience/deadline.ts";
import { countLine } from "../core/telemetry/emf.ts";
import { grouped } from "./call.ts";

/** Milliseconds reserved for throwing the error, so that Lambda sees a failure to retry instead of a timeout. */
const MARGIN_MS = 1_000;
/** Attempts for records that Firehose rejects. Usually the time runs out first. */
const ATTEMPTS = 8;

/** The environment of a function that forwards request log lines, which the stack sets. */
export const LogHandlerEnv = v.object({
  /** Dimension of the metric, as for the metrics of the function that writes the lines. */
  PROJECT_NAME: v.pipe(v.string(), v.nonEmpty()),
  /** Name of the Firehose stream that writes to the bucket. */
  FIREHOSE_STREAM: v.pipe(v.string(), v.nonEmpty()),
});

export type LogHandlerEnv = v.InferOutput<typeof LogHandlerEnv>;

/** The outcome of one PutRecordBatch: the error code of each record in order, undefined if it was accepted. */
export type BatchOutcome = readonly (string | undefined)[];

/** What the handler calls. */
export interface LogHandlerClients {
  /** Calls PutRecordBatch once, until the signal aborts it. Throws if the whole call failed. */
  putRecordBatch(stream: string, records: readonly Buffer[], signal: AbortSignal): Promise<BatchOutcome>;
  /** Writes one line to the function's own log. */
  print(line: string): void;
  /** Replaced in tests so that nothing sleeps. */
  wait?: (ms: number) => Promise<unknown>;
}

const unzip = promisify(gunzip);

/** Returns what calls PutRecordBatch. */
export function firehoseBatches(firehose: FirehoseClient): LogHandlerClients["putRecordBatch"] {
  return async (DeliveryStreamName, records, abortSignal) => {
    const Records = records.map((Data) => ({ Data }));
    const answer = await firehose.send(new PutRecordBatchCommand({ DeliveryStreamName, Records }), { abortSignal });
    return (answer.RequestResponses ?? []).map(({ ErrorCode }) => ErrorCode);
  };
}

/**
 * Returns a handler that forwards the request log lines of a CloudWatch Logs subscription to Firehose, in order, and
 * repeats errors in its own log, without the words of their causes: they are then kept longer than the log they come from,
 * and can be read by people who must not read searches. Skips other lines and control messages. Drops request log lines
 * that are not JSON, and counts them in a metric. Retries records that Firehose rejects while there is time, then
 * throws. Lambda then retries the whole event twice and puts it into a queue, which brings it back until Firehose has
 * all of it. Readers deduplicate by `query_id`.
 */
export function createHandler(env: LogHandlerEnv, clients: LogHandlerClients) {
  return async (event: CloudWatchLogsEvent | SQSEvent, context: Invocation): Promise<void> => {
    const deadline = deadlineIn(context.getRemainingTimeInMillis() - MARGIN_MS);
    const logged = (await Promise.all(subscriptionEvents(event).map(loggedLines))).flat();
    // The first attempt printed the errors of an event that comes back.
    const errors = "Records" in event ? [] : logged.filter(isErrorLine);
    for (const line of errors.flatMap(withoutCauses)) clients.print(line);
    const candidates = logged.filter((line) => isRequestLogLine(line));
    const lines = candidates.filter((line) => parseJson(line) !== undefined);
    if (lines.length < candidates.length) {
      clients.print(countLine({ Project: env.PROJECT_NAME }, UNREADABLE_LINES, candidates.length - lines.length));
    }
    for (const batch of packBatches(packRecords(lines))) await deliver(batch, env, clients, deadline);
  };
}

/**
 * Returns an error's line without its causes, which quote requests, documents and answers. Their types stay. Returns
 * nothing of a line that was cut.
 */
function withoutCauses(line: string): string[] {
  const error = parseJson(line);
  if (!isObject(error)) return [];
  const { causes, ...rest } = error;
  return [JSON.stringify(rest)];
}

/** Returns the events of the subscription: the event itself, or those that Lambda put into the queue after failures. */
function subscriptionEvents(event: CloudWatchLogsEvent | SQSEvent): CloudWatchLogsEvent[] {
  if (!("Records" in event)) return [event];
  return event.Records.map(({ body }) => {
    const { requestPayload }: { requestPayload: CloudWatchLogsEvent } = JSON.parse(body);
    return requestPayload;
  });
}

async function loggedLines(event: CloudWatchLogsEvent): Promise<string[]> {
  const json = await unzip(Buffer.from(event.awslogs.data, "base64"));
  const data: CloudWatchLogsDecodedData = JSON.parse(json.toString("utf8"));
  if (data.messageType !== "DATA_MESSAGE") return [];
  return data.logEvents.map(({ message }) => message.trim());
}

/** Sends one batch until every record is accepted. Throws when the time or the attempts run out. */
async function deliver(batch: readonly Buffer[], env: LogHandlerEnv, clients: LogHandlerClients, deadline: Deadline) {
  let left = batch;
  await retry(
    async () => {
      const signal = AbortSignal.timeout(Math.max(1, Math.floor(deadline.remaining())));
      const sent = left;
      const outcome = await clients.putRecordBatch(env.FIREHOSE_STREAM, sent, signal);
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
/** The most records of a PutRecordBatch. */
export const MAX_BATCH_RECORDS = 500;
/** The largest PutRecordBatch in bytes: 4 MiB. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;

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
  return grouped(records, sizeOf, { bytes: MAX_BATCH_BYTES, count: MAX_BATCH_RECORDS });
}

const sizeOf = ({ length }: Buffer) => length;
