import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { call } from "../../platform/aws/call.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { expiring } from "../../platform/resilience/once.ts";
import { EVENT_TYPES_KEY, NEWEST_ITEMS_KEY, POPULAR_ITEMS_KEY } from "../records/tables.ts";

/** Reads a list that the last ETL wrote. Undefined before the first ETL. Throws if it cannot read the list. */
export type EtlListReader = (deadline: Deadline) => Promise<readonly string[] | undefined>;

/** How long a list is cached. Each training replaces it, but a slightly older one does no harm. */
const KEPT_MS = 60_000;

/** How long it is cached that there is no such list, which every event or request would look up. */
const ABSENT_KEPT_MS = 5_000;

/**
 * Reads the lists that ETL wrote, and caches them for a minute: the item ids, most popular first and newest first, and
 * the event types that it imported. The client must have its own retries turned off.
 */
export function dynamoEtlLists(
  connect: () => Promise<DynamoDBClient>,
  table: string,
  timeoutMs: number,
  now?: () => number,
): { popularItems: EtlListReader; newestItems: EtlListReader; eventTypes: EtlListReader } {
  const reader = (Key: Readonly<Record<string, string>>, attribute: string, absentMs: number): EtlListReader => {
    const read = async (deadline: Deadline) => {
      const [{ GetCommand }, client] = await Promise.all([import("@aws-sdk/lib-dynamodb"), connect()]);
      const command = new GetCommand({ TableName: table, Key });
      const { Item } = await call({ deadline, timeoutMs }, (abortSignal) => client.send(command, { abortSignal }));
      const found: unknown = Item?.[attribute];
      return Array.isArray(found) ? found.map(String) : undefined;
    };
    return expiring(read, (list) => (list ? KEPT_MS : absentMs), now);
  };
  return {
    popularItems: reader(POPULAR_ITEMS_KEY, "ITEMS", 0),
    newestItems: reader(NEWEST_ITEMS_KEY, "ITEMS", ABSENT_KEPT_MS),
    eventTypes: reader(EVENT_TYPES_KEY, "TYPES", ABSENT_KEPT_MS),
  };
}
