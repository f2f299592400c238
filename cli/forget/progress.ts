import { createHash } from "node:crypto";
import * as v from "valibot";
import { type ObjectStore, readText } from "../../lib/aws/object-store.ts";
import { parseJson } from "../../lib/core/json/values.ts";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";

/** The steps of `relevance forget`, in order. */
export const STEPS = ["record", "events", "etl", "request-log", "personalize"] as const;

/** One of these steps. */
export type StepName = (typeof STEPS)[number];

const Counts = v.object({ objects: v.number(), rewritten: v.number(), lines: v.number() });

/** Objects read and rewritten, and lines replaced or removed. */
export type Counts = v.InferOutput<typeof Counts>;

const Progress = v.object({
  /** What each finished step did. */
  done: v.optional(v.record(v.picklist(STEPS), v.string()), {}),
  /** The last object of an unfinished step that was read, and the counts so far. */
  cursor: v.optional(v.object({ step: v.picklist(STEPS), after: v.string(), counts: Counts })),
  /** Name of the data deletion job. */
  job: v.optional(v.string()),
});

/** How far a deletion has come. Contains no personal data. */
export type Progress = v.InferOutput<typeof Progress>;

/** A name that stands for a person where the id itself must not be written. */
export function pseudonym(project: string, user: string): string {
  return createHash("sha256").update(`${project}\n${user}`).digest("hex").slice(0, 16);
}

/** Key of the progress in the bucket. */
export const progressKey = (person: string) => `${PREFIXES.forget}${person}.json`;

/** Reads the progress of an interrupted deletion; that of a new one if there is none. */
export async function readProgress(objects: ObjectStore, key: string): Promise<Progress> {
  const parsed = v.safeParse(Progress, parseJson((await readText(objects, key)) ?? "{}"));
  return parsed.success ? parsed.output : { done: {} };
}
