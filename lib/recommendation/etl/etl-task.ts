import * as v from "valibot";
import { DeduplicateTask, ScanTask, TransformTask } from "./run-files.ts";
import { EventCheck, TRAINING_MODES } from "./settings.ts";

/** The name of an execution, which also names the run's folder. Source: Step Functions API reference. */
const Run = v.pipe(v.string(), v.regex(/^[\w-]{1,80}$/, "must be 1 to 80 letters, digits, hyphens and underscores"));

/** The input of the ETL function: one step of a run. */
export const EtlTask = v.variant("task", [
  v.strictObject({
    task: v.literal("plan"),
    run: Run,
    /** When the execution started, in ISO 8601. */
    startedAt: v.pipe(v.string(), v.isoTimestamp()),
    mode: v.picklist(TRAINING_MODES),
    checks: v.array(EventCheck),
  }),
  TransformTask,
  v.strictObject({ task: v.literal("collect"), run: Run }),
  DeduplicateTask,
  ScanTask,
  v.strictObject({ task: v.literal("finish"), run: Run }),
]);

export type EtlTask = v.InferOutput<typeof EtlTask>;
