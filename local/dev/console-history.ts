import { gunzipSync } from "node:zlib";
import { GetObjectCommand, paginateListObjectsV2, type S3Client } from "@aws-sdk/client-s3";
import type { Names } from "../../lib/core/naming/names.ts";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";
import { concurrently } from "../../lib/core/resilience/concurrently.ts";
import type { HistoryEvent } from "../../lib/relevance/console/server.ts";

const PARALLEL = 8;

/** Returns a user's newest events from the received ones in the local bucket, each once. */
export async function readHistory(s3: S3Client, names: Names, user: string, limit = 50): Promise<HistoryEvent[]> {
  const Bucket = names.bucket();
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: PREFIXES.events })) {
    keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
  }
  const read = await concurrently(keys, PARALLEL, async (Key) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return eventsIn(Buffer.from((await Body?.transformToByteArray()) ?? []), user);
  });
  // The client may have sent an event again.
  const byId = new Map(read.flat().map(({ id, ...event }) => [id, event]));
  return [...byId.values()].sort((a, b) => b.when.localeCompare(a.when)).slice(0, limit);
}

function eventsIn(bytes: Buffer, user: string): Array<HistoryEvent & { id: string }> {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const lines = (isGzip ? gunzipSync(bytes) : bytes).toString("utf8").split("\n");
  return lines.flatMap((line) => {
    if (!line.includes(user)) return [];
    const event = JSON.parse(line) as Record<string, string | number | undefined>;
    if (event.USER_ID !== user) return [];
    const when = new Date(Number(event.TIMESTAMP) * 1000).toISOString();
    return [{ id: String(event.EVENT_ID), item: String(event.ITEM_ID), type: String(event.EVENT_TYPE), when }];
  });
}
