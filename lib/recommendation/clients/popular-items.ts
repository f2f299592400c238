import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { call } from "../../aws/call.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { POPULAR_ITEMS_KEY } from "../etl/dynamo-tables.ts";

/** Item ids of the last ETL, most popular first; undefined before the first. Throws when they cannot be read. */
export type PopularItemsReader = (deadline: Deadline) => Promise<readonly string[] | undefined>;

/** A list is replaced by training: an older one does no harm for so long. */
const KEPT_MS = 60_000;

/** The list that ETL wrote, kept for a minute. The client is made without retries of its own. */
export function dynamoPopularItems(
  connect: () => Promise<DynamoDBClient>,
  table: string,
  timeoutMs: number,
  now: () => number = () => performance.now(),
): PopularItemsReader {
  let kept: { items: readonly string[]; until: number } | undefined;
  return async (deadline) => {
    if (kept && now() < kept.until) return kept.items;
    const [{ GetCommand }, client] = await Promise.all([import("@aws-sdk/lib-dynamodb"), connect()]);
    const command = new GetCommand({ TableName: table, Key: POPULAR_ITEMS_KEY });
    const { Item } = await call({ deadline, timeoutMs }, (abortSignal) => client.send(command, { abortSignal }));
    if (!Array.isArray(Item?.ITEMS)) return undefined;
    kept = { items: Item.ITEMS.map(String), until: now() + KEPT_MS };
    return kept.items;
  };
}
