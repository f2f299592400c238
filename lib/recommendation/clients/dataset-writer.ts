import { attempt } from "../../platform/aws/call.ts";
import type { ProfileDataset } from "../../platform/contract/recommendation.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { lazyClient } from "../../platform/resilience/once.ts";

/** A record for PutUsers or PutItems. `properties` is JSON. */
export interface DatasetRecord {
  id: string;
  properties: string;
}

/** Calls PutUsers or PutItems once, with at most ten records. Rejects with the SDK's error or with CallTimeout. */
export type DatasetWriter = (
  dataset: ProfileDataset,
  records: readonly DatasetRecord[],
  deadline: Deadline,
) => Promise<void>;

/** Implements DatasetWriter with Personalize's events API. The SDK's own retries are off. */
export function personalizeDatasets(
  datasetArns: Readonly<Record<ProfileDataset, string>>,
  timeoutMs: number,
): DatasetWriter {
  const client = lazyClient(
    () => import("@aws-sdk/client-personalize-events"),
    (sdk) => new sdk.PersonalizeEventsClient({ maxAttempts: 1 }),
  );
  return async (dataset, records, deadline) => {
    const [{ PutItemsCommand, PutUsersCommand }, personalize] = await client();
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
