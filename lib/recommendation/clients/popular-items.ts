import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { call } from "../../aws/call.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { POPULAR_ITEMS_KEY } from "../records/tables.ts";

/**
 * Reads the item ids of the last ETL, most popular first. Undefined before the first ETL. Throws if it cannot read
 * them.
 */
export type PopularItemsReader = (deadline: Deadline) => Promise<readonly string[] | undefined>;

/** How long the list is cached. Each training replaces it, but a slightly older one does no harm. */
const KEPT_MS = 60_000;

/** Reads the list that ETL wrote, and caches it for a minute. The client must have its own retries turned off. */
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
