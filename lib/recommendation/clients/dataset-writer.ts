import type { PersonalizeEventsClient } from "@aws-sdk/client-personalize-events";
import { attempt } from "../../aws/call.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { once } from "../../core/resilience/once.ts";
import type { ProfileDataset } from "../records/profile.ts";

/** A record as PutUsers and PutItems take it; `properties` is JSON. */
export interface DatasetRecord {
  id: string;
  properties: string;
}

/** One PutUsers or PutItems with at most ten records, tried once. Rejects with the SDK's own error, or CallTimeout. */
export type DatasetWriter = (
  dataset: ProfileDataset,
  records: readonly DatasetRecord[],
  deadline: Deadline,
) => Promise<void>;

/** Personalize's events API as DatasetWriter. The SDK never retries by itself. */
export function personalizeDatasets(
  datasetArns: Readonly<Record<ProfileDataset, string>>,
  timeoutMs: number,
): DatasetWriter {
  const sdk = () => import("@aws-sdk/client-personalize-events");
  const client = once(
    async (): Promise<PersonalizeEventsClient> => new (await sdk()).PersonalizeEventsClient({ maxAttempts: 1 }),
  );
  return async (dataset, records, deadline) => {
    const [{ PutItemsCommand, PutUsersCommand }, personalize] = await Promise.all([sdk(), client()]);
    const datasetArn = datasetArns[dataset];
    await attempt<unknown>({ deadline, timeoutMs }, (abortSignal) =>
      dataset === "item"
        ? personalize.send(
            new PutItemsCommand({
              datasetArn,
              items: records.map(({ id, properties }) => ({ itemId: id, properties })),
            }),
            { abortSignal },
          )
        : personalize.send(
            new PutUsersCommand({
              datasetArn,
              users: records.map(({ id, properties }) => ({ userId: id, properties })),
            }),
            { abortSignal },
          ),
    );
  };
}
