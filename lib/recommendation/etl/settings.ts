import { createHash } from "node:crypto";
import * as v from "valibot";
import type { Definitions } from "../records/layout.ts";

/**
 * The events that a recipe will learn from. ETL counts them, so that training can check that there are enough. Without
 * an event type, all types count.
 */
export const EventCheck = v.strictObject({
  /** The recipe. */
  name: v.string(),
  event_type: v.optional(v.string()),
  /** The lowest EVENT_VALUE of an event that counts. */
  event_value_threshold: v.optional(v.pipe(v.number(), v.finite())),
});

export type EventCheck = v.InferOutput<typeof EventCheck>;

/** The version of the row format. It is part of every digest: increasing it makes ETL transform all events again. */
const ROW_FORMAT = 4;

/** Returns a hash that changes with the format of rows, the interactions schema or its source columns. */
export function schemaHash({ schemas, etl }: Definitions): string {
  return digest([ROW_FORMAT, schemas.interaction, etl.interaction]);
}

/** Returns a short digest of a value. */
export function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 24);
}

/** Returns `count` days in UTC, oldest first. The last one is the day of `time`. */
export function daysUntil(time: string, count: number): string[] {
  const last = Date.parse(`${time.slice(0, 10)}T00:00:00Z`);
  return Array.from({ length: count }, (_, index) =>
    new Date(last - (count - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  );
}
