import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { CloudWatchLogsDecodedData, CloudWatchLogsEvent, SQSEvent } from "aws-lambda";
import { deliverLines, type LineClients } from "../../lib/platform/aws/log-lines.ts";
import { isObject, parseJson } from "../../lib/platform/json/values.ts";
import { isErrorLine, isRequestLogLine, UNREADABLE_LINES } from "../../lib/platform/request-log/kinds.ts";
import { deadlineIn, type Invocation } from "../../lib/platform/resilience/deadline.ts";
import { countLine } from "../../lib/platform/telemetry/emf.ts";
import type { LogHandlerEnv } from "./env.ts";

/** Milliseconds reserved for throwing the error, so that Lambda sees a failure to retry instead of a timeout. */
const MARGIN_MS = 1_000;

export interface LogHandlerClients extends LineClients {
  /** Writes one line to the function's own log. */
  print(line: string): void;
}

const unzip = promisify(gunzip);

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
    await deliverLines(lines, env.FIREHOSE_STREAM, clients, deadline);
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
