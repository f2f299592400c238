import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { deadlineIn, type Invocation } from "../../lib/platform/resilience/deadline.ts";
import { countLine } from "../../lib/platform/telemetry/emf.ts";
import { type SyncServices, syncMessages } from "../../lib/recommendation/sync/sync-records.ts";

/** Name of the metric that counts messages returned to the queue, by `Project`. */
export const DELAYED_CHANGES = "DelayedChanges";

/** Milliseconds reserved for the answer. Without it, SQS would redeliver messages that are done. */
const MARGIN_MS = 2_000;

/** The most reasons in a log line. */
const SHOWN_REASONS = 10;

export interface RealtimeSyncClients extends SyncServices {
  /** Writes one line to the function's own log. */
  print: (line: string) => void;
}

/** Returns a handler that puts changed users and items into Personalize. SQS redelivers the messages it reports. */
export function createHandler(clients: RealtimeSyncClients) {
  return async (event: SQSEvent, context: Invocation): Promise<SQSBatchResponse> => {
    const deadline = deadlineIn(context.getRemainingTimeInMillis() - MARGIN_MS);
    const { failedMessages, reasons } = await syncMessages(clients, event.Records, deadline);
    if (failedMessages.length > 0) {
      const shown = Object.fromEntries([...reasons].slice(0, SHOWN_REASONS));
      clients.print(
        JSON.stringify({ level: "warn", message: "changes come back", count: reasons.size, reasons: shown }),
      );
      clients.print(countLine({ Project: clients.settings.project }, DELAYED_CHANGES, failedMessages.length));
    }
    return { batchItemFailures: failedMessages.map((itemIdentifier) => ({ itemIdentifier })) };
  };
}
