import * as v from "valibot";
import { parseJson } from "../../core/json/values.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import type { ProfileDataset } from "../records/profile.ts";
import { type SyncServices, synchronize } from "./sync-records.ts";

/** How the queue of changes and its consumer are set up. Both stacks and tests take it from here. */
export const CHANGE_QUEUE = {
  /** Personalize's limit over both kinds. Source: its quotas, PutUsers and PutItems. */
  callsPerSecond: 10,
  /** Instances at the same time, which share those calls. The least that SQS event sources can have. */
  maximumConcurrency: 2,
  /** Messages of a call; with ten ids each they take an instance's share of two seconds. */
  batchSize: 10,
  functionTimeoutSeconds: 60,
  /** Six times the function's, as Lambda advises for event sources. */
  visibilityTimeoutSeconds: 360,
  /** An import keeps its dataset busy: with the visibility timeout this outlasts one of five hours. */
  maxReceiveCount: 50,
  deadLetterRetentionDays: 14,
} as const;

const Message = v.strictObject({
  dataset: v.picklist(["user", "item"]),
  ids: v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.minLength(1)),
});

/** A message of the queue of changes. */
export interface ChangeMessage {
  messageId: string;
  body: string;
}

/** What a batch came to. */
export interface SyncedBatch {
  /** Messages that are to come back, and to the dead-letter queue in the end. */
  failedMessages: string[];
  /** Why, by id of the message that cannot be read or of the record. */
  reasons: ReadonlyMap<string, string>;
}

/** Synchronizes the users and items of a batch. Messages are merged: an id is put once, whatever they repeat. */
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
