import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { deadlineIn } from "../../lib/core/resilience/deadline.ts";
import { metricLine } from "../../lib/core/telemetry/emf.ts";
import { syncMessages } from "../../lib/recommendation/sync/sync-messages.ts";
import type { SyncServices } from "../../lib/recommendation/sync/sync-records.ts";

/** Name of the metric, by `Project`, of messages that come back to the queue. */
export const DELAYED_CHANGES = "DelayedChanges";

/** Time kept for the answer, so that what was done is not done again. */
const MARGIN_MS = 2_000;

/** Reasons of a log line. */
const SHOWN_REASONS = 10;

/** The part of Lambda's context that is used. */
export interface RealtimeSyncContext {
  getRemainingTimeInMillis(): number;
}

export interface RealtimeSyncClients extends SyncServices {
  /** Writes one line to the function's own log. */
  print: (line: string) => void;
}

/** Puts changed users and items into Personalize. Messages that are not done are reported, and come back. */
export function createHandler(clients: RealtimeSyncClients) {
  return async (event: SQSEvent, context: RealtimeSyncContext): Promise<SQSBatchResponse> => {
    const deadline = deadlineIn(Math.max(0, context.getRemainingTimeInMillis() - MARGIN_MS));
    const { failedMessages, reasons } = await syncMessages(clients, event.Records, deadline);
    if (failedMessages.length > 0) {
      const shown = Object.fromEntries([...reasons].slice(0, SHOWN_REASONS));
      clients.print(
        JSON.stringify({ level: "warn", message: "changes come back", count: reasons.size, reasons: shown }),
      );
      const metric = { name: DELAYED_CHANGES, unit: "Count", value: failedMessages.length } as const;
      clients.print(metricLine({ Project: clients.settings.project }, [metric]));
    }
    return { batchItemFailures: failedMessages.map((itemIdentifier) => ({ itemIdentifier })) };
  };
}
