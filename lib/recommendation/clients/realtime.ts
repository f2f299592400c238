import { MAX_PUT_EVENTS, MAX_PUT_RECORDS } from "../../personalize/limits.ts";
import { call, chunks, retryUnprocessed } from "../../platform/aws/call.ts";
import { failureOf, type StoreFailure, whyLeft } from "../../platform/aws/store-failure.ts";
import type { ProfileDataset } from "../../platform/contract/recommendation.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { lazyClient } from "../../platform/resilience/once.ts";
import type { StoredEvent } from "../records/layout.ts";
import { type PutEvent, putEvent, type TrainedEvent } from "../records/trained-event.ts";

/** Number of events or changes that were not delivered, and why. Undefined if all were. */
export type Undelivered = (StoreFailure & { count: number }) | undefined;

/** An event to send. */
export interface NewEvent {
  event: StoredEvent;
  /**
   * Whether the visitor is not logged in, so that the session stands for the user. After a login in the session,
   * Personalize assigns its events to that user.
   */
  isAnonymous: boolean;
}

/** Sends new events to Personalize. Never rejects. */
export type EventTracker = (
  trackingId: string,
  events: readonly NewEvent[],
  deadline: Deadline,
) => Promise<Undelivered>;

/** Notifies realtime-sync about changed users or items. Never rejects. */
export type ChangeQueue = (dataset: ProfileDataset, ids: readonly string[], deadline: Deadline) => Promise<Undelivered>;

/** The most messages in one SendMessageBatch call. Source: SQS API reference. */
const MAX_MESSAGES = 10;

/** The number of ids in a message: as many as one PutUsers or PutItems call takes. */
export const IDS_PER_MESSAGE = MAX_PUT_RECORDS;

/** Concurrent calls. PutEvents allows 1,000 calls a second for a dataset group. */
const PARALLEL_CALLS = 16;

/** The input of one PutEvents call. */
export interface EventBatch {
  /** Absent for anonymous events. */
  userId?: string;
  sessionId: string;
  eventList: PutEvent[];
}

/** Groups events into calls. A call has at most ten events of one user's session, in their order. */
export function eventBatches(events: readonly NewEvent[], trained: (event: StoredEvent) => TrainedEvent): EventBatch[] {
  const userOf = ({ event, isAnonymous }: NewEvent) => (isAnonymous ? undefined : event.USER_ID);
  const sessions = Map.groupBy(events, (one) => JSON.stringify([userOf(one) ?? null, one.event.SESSION_ID]));
  return [...sessions.values()].flatMap((session) =>
    chunks(session, MAX_PUT_EVENTS).map((part) => {
      const [first] = part;
      const userId = first && userOf(first);
      return {
        ...(userId !== undefined && { userId }),
        sessionId: first?.event.SESSION_ID ?? "",
        eventList: part.map(({ event }) => putEvent(event, trained(event))),
      };
    }),
  );
}

/** Implements EventTracker with Personalize's events API. The first call loads the SDK, whose own retries are off. */
export function personalizeEvents(trained: (event: StoredEvent) => TrainedEvent, timeoutMs: number): EventTracker {
  const client = lazyClient(
    () => import("@aws-sdk/client-personalize-events"),
    (sdk) => new sdk.PersonalizeEventsClient({ maxAttempts: 1 }),
  );
  return async (trackingId, events, deadline) => {
    const failures = await concurrently(eventBatches(events, trained), PARALLEL_CALLS, async (batch) => {
      try {
        const [{ PutEventsCommand }, personalize] = await client();
        // Retrying after a lost answer is safe: Personalize stores equal events only once.
        await call({ deadline, timeoutMs }, (abortSignal) =>
          personalize.send(new PutEventsCommand({ trackingId, ...batch }), { abortSignal }),
        );
        return undefined;
      } catch (error) {
        return { count: batch.eventList.length, ...failureOf("the event tracker", error) };
      }
    });
    return summed(failures);
  };
}

/** Implements ChangeQueue with an SQS queue. The first call loads the SDK, whose own retries are off. */
export function sqsChanges(queueUrl: string, timeoutMs: number): ChangeQueue {
  const client = lazyClient(
    () => import("@aws-sdk/client-sqs"),
    (sdk) => new sdk.SQSClient({ maxAttempts: 1 }),
  );
  return async (dataset, ids, deadline) => {
    const messages = chunks(ids, IDS_PER_MESSAGE);
    const failures = await concurrently(chunks(messages, MAX_MESSAGES), PARALLEL_CALLS, async (part) => {
      const { left, error } = await retryUnprocessed(part, { deadline, timeoutMs }, async (some, abortSignal) => {
        const [{ SendMessageBatchCommand }, sqs] = await client();
        const Entries = some.map((changed, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify({ dataset, ids: changed }),
        }));
        const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }), {
          abortSignal,
        });
        return some.filter((_, index) => Failed.some(({ Id }) => Id === String(index)));
      });
      if (left.length === 0) return undefined;
      return { count: left.flat().length, ...whyLeft("the queue of changes", [{ left, error }]) };
    });
    return summed(failures);
  };
}

function summed(failures: readonly Undelivered[]): Undelivered {
  const found = failures.flatMap((failure) => failure ?? []);
  const [first] = found;
  return first && { ...first, count: found.reduce((sum, { count }) => sum + count, 0) };
}
