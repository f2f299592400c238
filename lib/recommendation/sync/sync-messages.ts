import * as v from "valibot";
import { parseJson } from "../../core/json/values.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import type { ProfileDataset } from "../records/profile.ts";
import { type SyncServices, synchronize } from "./sync-records.ts";

/** The settings of the change queue and its consumer. Stacks and tests share them. */
export const CHANGE_QUEUE = {
  /** Personalize's limit for users and items together. Source: its quotas for PutUsers and PutItems. */
  callsPerSecond: 10,
  /** Concurrent instances, which share those calls. Two is the minimum for SQS event sources. */
  maximumConcurrency: 2,
  /** Messages in an invocation. With ten ids each, they use up an instance's share of the calls for two seconds. */
  batchSize: 10,
  functionTimeoutSeconds: 60,
  /** Six times the function's timeout, as Lambda recommends for event sources. */
  visibilityTimeoutSeconds: 360,
  /** An import keeps its dataset busy. With the visibility timeout, this count outlasts an import of five hours. */
  maxReceiveCount: 50,
  /** The longest that SQS keeps messages: a change must outlast whatever keeps the consumer from working. */
  retentionDays: 14,
} as const;

const Message = v.strictObject({
  dataset: v.picklist(["user", "item"]),
  ids: v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.minLength(1)),
});

/** A message of the change queue. */
export interface ChangeMessage {
  messageId: string;
  body: string;
}

/** The result of a batch. */
export interface SyncedBatch {
  /** Ids of messages to deliver again, and finally to move to the dead-letter queue. */
  failedMessages: string[];
  /** Reasons for the failures, by id of the record, or of the message if it cannot be parsed. */
  reasons: ReadonlyMap<string, string>;
}

/** Synchronizes the users and items of a batch. Merges the messages, so that a repeated id is put only once. */
export async function syncMessages(
  services: SyncServices,
  messages: readonly ChangeMessage[],
  deadline: Deadline,
): Promise<SyncedBatch> {
  const failed = new Set<string>();
  const reasons = new Map<string, string>();
  const wanted: Record<ProfileDataset, Map<string, string[]>> = { user: new Map(), item: new Map() };
  for (const { messageId, body } of messages) {
    const parsed = v.safeParse(Message, parseJson(body));
    if (!parsed.success) {
      failed.add(messageId);
      reasons.set(messageId, `is not a message of changes: ${v.summarize(parsed.issues)}`);
      continue;
    }
    const byId = wanted[parsed.output.dataset];
    for (const id of parsed.output.ids) byId.set(id, [...(byId.get(id) ?? []), messageId]);
  }
  for (const dataset of ["item", "user"] as const) {
    const unsynchronized = await synchronize(services, dataset, [...wanted[dataset].keys()], deadline);
    for (const [id, reason] of unsynchronized) {
      reasons.set(id, reason);
      for (const messageId of wanted[dataset].get(id) ?? []) failed.add(messageId);
    }
  }
  return { failedMessages: [...failed], reasons };
}
