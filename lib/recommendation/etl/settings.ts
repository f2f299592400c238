import { createHash } from "node:crypto";
import * as v from "valibot";
import { AvroSchema } from "../../config/avro.ts";
import { EtlSchema } from "../../config/etl.ts";
import type { Definitions } from "../records/layout.ts";

/** How a training reads events: update_dataset_group fills IMPRESSION, init leaves it empty. */
export const TRAINING_MODES = ["init", "update_dataset_group"] as const;

export type TrainingMode = (typeof TRAINING_MODES)[number];

/**
 * Events that a recipe will learn from: ETL counts them, so that training can tell whether they are enough. A missing
 * event type means all types.
 */
export const EventCheck = v.strictObject({
  /** The recipe. */
  name: v.string(),
  event_type: v.optional(v.string()),
  /** Events count whose EVENT_VALUE is at least this. */
  event_value_threshold: v.optional(v.pipe(v.number(), v.finite())),
});

export type EventCheck = v.InferOutput<typeof EventCheck>;

/** The generated configuration files as a run reads them. */
export const DefinitionFiles = v.strictObject({
  schemas: v.strictObject({
    user: AvroSchema("user"),
    item: AvroSchema("item"),
    interaction: AvroSchema("interaction"),
  }),
  etl: EtlSchema,
});

export type DefinitionFiles = v.InferOutput<typeof DefinitionFiles>;

/** What a run was started with, kept for all of its steps: a deployment in between changes nothing for it. */
export const RunSettings = v.strictObject({
  mode: v.picklist(TRAINING_MODES),
  checks: v.array(EventCheck),
  /** Days read, oldest first. */
  days: v.array(v.string()),
  schema_hash: v.string(),
  definitions: DefinitionFiles,
});

export type RunSettings = v.InferOutput<typeof RunSettings>;

/** Part of every digest, so that rows of another format are made anew: raise it when the rows change. */
const ROW_FORMAT = 1;

/** Changes when the rows that events become change: with the interactions' schema and its source columns. */
export function schemaHash({ schemas, etl }: Definitions): string {
  return digest([ROW_FORMAT, schemas.interaction, etl.interaction]);
}

/** A short name for a value: the same value gives the same. */
export function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 24);
}

/** The `count` days up to and including that of a time, in UTC, oldest first. */
export function daysUntil(time: string, count: number): string[] {
  const last = Date.parse(`${time.slice(0, 10)}T00:00:00Z`);
  return Array.from({ length: count }, (_, index) =>
    new Date(last - (count - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  );
}
