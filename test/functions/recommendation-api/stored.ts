import { gunzipSync } from "node:zlib";
import { GetObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { DeleteMessageBatchCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { StoredEvent } from "../../../lib/recommendation/records/layout.ts";
import type { World } from "./world.ts";

/** Returns every event in the bucket, as its line states it. */
export async function storedEvents({ s3, bucket }: World): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  let token: string | undefined;
  do {
    const page = await s3.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: "events/", ContinuationToken: token }),
    );
    for (const { Key } of page.Contents ?? []) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
      const text = gunzipSync((await Body?.transformToByteArray()) ?? new Uint8Array()).toString();
      for (const line of text.split("\n")) if (line !== "") events.push(JSON.parse(line));
    }
    token = page.NextContinuationToken;
  } while (token);
  return events;
}

/** Returns the record of a user or item as stored in the table. */
export async function storedRecord({ dynamo, names }: World, table: "users" | "items", id: string) {
  const Key = { [table === "users" ? "USER_ID" : "ITEM_ID"]: id };
  const { Item } = await dynamo.send(new GetCommand({ TableName: names.table(table), Key, ConsistentRead: true }));
  return Item;
}

/** Receives and removes every message of the queue of changes. */
export async function takeMessages({ sqs, queueUrl }: World): Promise<{ messageId: string; body: string }[]> {
  const taken: { messageId: string; body: string }[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 }),
    );
    if (Messages.length === 0) return taken;
    for (const { MessageId = "", Body = "" } of Messages) taken.push({ messageId: MessageId, body: Body });
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}
