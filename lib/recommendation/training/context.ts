import type { Names } from "../../core/naming/names.ts";
import type { Personalize } from "../../personalize/resources/personalize.ts";
import type { PointerStore } from "../../personalize/resources/pointers.ts";
import type { AcceptedEvents } from "../clients/accepted-events.ts";
import type { ObjectStore } from "../etl/object-store.ts";
import type { TrainingSettings } from "./settings.ts";
import type { Executions, TrainingState } from "./state.ts";

/** What the steps of a training work with. */
export interface TrainingContext {
  settings: TrainingSettings;
  names: Names;
  personalize: Personalize;
  pointers: PointerStore;
  store: ObjectStore;
  state: TrainingState;
  executions: Executions;
  /** Counts of accepted events over days. */
  accepted(days: readonly string[]): Promise<AcceptedEvents>;
  bucket: string;
  /** Role with which Personalize reads the bucket. */
  importRoleArn: string;
  /** personalize.log_lookback_days of project.yaml. */
  logLookbackDays: number;
  /** How long Firehose holds events back, in seconds. */
  bufferSeconds: number;
  /** How long to wait between two looks, in seconds. */
  looks: Looks;
  /** Epoch milliseconds. */
  now(): number;
  /** Writes a line to the log. */
  print(line: string): void;
}

/** Seconds between two looks at what goes on. */
export interface Looks {
  arrivals: number;
  /** Imports take some minutes at least. */
  imports: number;
  /** Trainings take an hour or more. */
  recipes: number;
  teardown: number;
}

/** In AWS. An execution has at most 25,000 events in its history, nine a look: so a training may take two days. */
export const LOOKS: Looks = { arrivals: 60, imports: 60, recipes: 120, teardown: 30 };

/** What a polling step says: `seconds` is how long to wait before asking again. */
export interface Readiness {
  ready: boolean;
  seconds: number;
}
