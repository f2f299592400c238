import { setTimeout as wait } from "node:timers/promises";
import type { StandIn, StandInAnswer, StandInRequest } from "@relevance/local-aws/cloud/stand-in.ts";
import { Account, type Delays } from "./account.ts";
import { Orders, type PersonalizeControl } from "./control.ts";
import type { ObjectReader } from "./data/csv-import.ts";
import { directoryStorage, NO_STORAGE } from "./data/storage.ts";
import { putEvents, putItems, putUsers, RateLimit } from "./events.ts";
import { Lifecycle } from "./lifecycle.ts";
import { BATCH_INFERENCE_JOBS } from "./operations/batch-inference-jobs.ts";
import { CAMPAIGNS } from "./operations/campaigns.ts";
import { DATA_DELETION_JOBS } from "./operations/data-deletion-jobs.ts";
import { DATASET_GROUPS } from "./operations/dataset-groups.ts";
import { DATASETS } from "./operations/datasets.ts";
import { EVENT_TRACKERS } from "./operations/event-trackers.ts";
import { FILTERS } from "./operations/filters.ts";
import { IMPORT_JOBS } from "./operations/import-jobs.ts";
import type { Operation } from "./operations/operation.ts";
import { RECIPE_OPERATIONS } from "./operations/recipes.ts";
import { SCHEMAS } from "./operations/schemas.ts";
import { SOLUTION_VERSIONS } from "./operations/solution-versions.ts";
import { SOLUTIONS } from "./operations/solutions.ts";
import { TAG_OPERATIONS } from "./operations/tags.ts";
import { answer, bodyOf, type Call, callOf, errorAnswer } from "./protocol.ts";
import { getPersonalizedRanking, getRecommendations } from "./runtime.ts";
import { ServiceError } from "./service-error.ts";

/** Short enough to wait for, long enough to expose a caller that does not wait for a state. */
export const DEFAULT_DELAYS: Delays = { pending: 100, working: 300, importing: 500, training: 1000, deploying: 500 };

/** Calls per second and dataset group: one limit for PutEvents, one for PutItems and PutUsers together. */
const EVENTS_PER_SECOND = 1000;
const RECORDS_PER_SECOND = 10;

export interface PersonalizeOptions {
  accountId: string;
  region: string;
  /** Import jobs read their CSV files through this. */
  objects: ObjectReader;
  /** The time in milliseconds. Default: the system clock. `control.advance` is added to it. */
  clock?: { now(): number };
  delays?: Partial<Delays>;
  /** Directory that stores resources, data and models. Without it they are lost when the process ends. */
  dir?: string;
}

export interface PersonalizeStandIn extends StandIn {
  readonly control: PersonalizeControl;
}

/**
 * Creates a stand-in for Amazon Personalize: the control plane, events and runtime APIs that the AWS SDKs call. The
 * README of this folder describes its scope and its limits.
 */
export function createPersonalize(options: PersonalizeOptions): PersonalizeStandIn {
  let advanced = 0;
  const clock = options.clock ?? Date;
  const now = () => clock.now() + advanced;
  const account = new Account({
    accountId: options.accountId,
    region: options.region,
    objects: options.objects,
    now,
    delays: { ...DEFAULT_DELAYS, ...options.delays },
    storage: options.dir === undefined ? NO_STORAGE : directoryStorage(options.dir),
  });
  const lifecycle = new Lifecycle(account);
  const orders = new Orders();
  const operations = operationsOf(now);

  async function handle(request: StandInRequest): Promise<StandInAnswer> {
    const call = callOf(request);
    const operation = call && operations[call.operation];
    if (!call || !operation) return unknownOperation(request, call);
    const { latency, failure } = orders.take(call.operation);
    if (latency > 0) await wait(latency);
    try {
      if (failure) throw new ServiceError(failure.code, failure.message);
      const input = bodyOf(request);
      lifecycle.settle();
      return answer(call.protocol, operation(input, account));
    } catch (error) {
      if (error instanceof ServiceError) return errorAnswer(call.protocol, error.code, error.message, error.status);
      throw error;
    } finally {
      account.flush();
    }
  }

  return {
    services: ["personalize"],
    handle,
    control: {
      async advance(milliseconds) {
        advanced += milliseconds;
        await lifecycle.idle();
        account.flush();
      },
      failNext: (operation, failure) => orders.fail(operation, failure),
      failCreation: (kind, reason) => lifecycle.failNext(kind, reason),
      latency: (milliseconds, operation) => orders.delay(milliseconds, operation),
      counts: () => orders.counts(),
      reset() {
        account.clear();
        lifecycle.reset();
        orders.clear();
      },
    },
  };
}

function operationsOf(now: () => number): Readonly<Record<string, Operation>> {
  const records = new RateLimit(RECORDS_PER_SECOND, now);
  return {
    ...DATASET_GROUPS,
    ...SCHEMAS,
    ...DATASETS,
    ...IMPORT_JOBS,
    ...DATA_DELETION_JOBS,
    ...BATCH_INFERENCE_JOBS,
    ...EVENT_TRACKERS,
    ...FILTERS,
    ...RECIPE_OPERATIONS,
    ...SOLUTIONS,
    ...SOLUTION_VERSIONS,
    ...CAMPAIGNS,
    ...TAG_OPERATIONS,
    PutEvents: putEvents(new RateLimit(EVENTS_PER_SECOND, now)),
    PutItems: putItems(records),
    PutUsers: putUsers(records),
    GetRecommendations: getRecommendations,
    GetPersonalizedRanking: getPersonalizedRanking,
  };
}

function unknownOperation({ method, path, headers }: StandInRequest, call: Call | undefined): StandInAnswer {
  const name = call?.operation ?? headers["x-amz-target"] ?? `${method} ${path}`;
  const message = `The local Personalize has no operation ${name}.`;
  return errorAnswer(call?.protocol ?? "rest", "UnknownOperationException", message, 400);
}
