import * as v from "valibot";
import type { ObjectStore } from "../../lib/aws/object-store.ts";
import type { Deadline } from "../../lib/core/resilience/deadline.ts";
import { collect } from "../../lib/recommendation/etl/collect.ts";
import { deduplicate } from "../../lib/recommendation/etl/deduplicate.ts";
import { type EngineLimits, withEngine } from "../../lib/recommendation/etl/engine.ts";
import { EtlError } from "../../lib/recommendation/etl/etl-error.ts";
import { EtlTask } from "../../lib/recommendation/etl/etl-task.ts";
import { finish } from "../../lib/recommendation/etl/finish.ts";
import { runKeys, sharedKeys } from "../../lib/recommendation/etl/keys.ts";
import { plan } from "../../lib/recommendation/etl/plan.ts";
import type { PopularItemsStore } from "../../lib/recommendation/etl/popular-items.ts";
import { readFile } from "../../lib/recommendation/etl/run-files.ts";
import { scan } from "../../lib/recommendation/etl/scan.ts";
import { type DefinitionFiles, RunSettings } from "../../lib/recommendation/etl/settings.ts";
import type { TableSource } from "../../lib/recommendation/etl/table-source.ts";
import { transform } from "../../lib/recommendation/etl/transform.ts";
import type { EtlEnv } from "./env.ts";

/** The stores of etl, its dataset definitions, and what its engine may use. */
export interface EtlClients {
  /** The definitions deployed with the datasets. Those in the bucket are uploaded before the datasets change. */
  definitions: DefinitionFiles;
  store: ObjectStore;
  tables: TableSource;
  popularItems: PopularItemsStore;
  limits: EngineLimits;
}

/** The part of Lambda's context that is used. */
export interface EtlContext {
  getRemainingTimeInMillis(): number;
}

/** Returns a handler that runs one step per call. A failed item of a map step stores its error for the next step. */
export function createHandler(env: EtlEnv, clients: EtlClients) {
  return async (event: unknown, context: EtlContext): Promise<object> => {
    const parsed = v.safeParse(EtlTask, event);
    if (!parsed.success) throw new EtlError(`The input is not a step of ETL: ${v.summarize(parsed.issues)}`);
    const task = parsed.output;
    try {
      return await work(task, env, clients, { remaining: () => context.getRemainingTimeInMillis() });
    } catch (error) {
      const key = errorKey(task);
      // The original error matters more than a failure to store it.
      if (key) await clients.store.write(key, messageOf(error)).catch(() => undefined);
      throw error;
    }
  };
}

async function work(task: EtlTask, env: EtlEnv, clients: EtlClients, deadline: Deadline): Promise<object> {
  const { store, tables, popularItems, limits } = clients;
  const settings = () => readFile(store, runKeys(task.run).settings, RunSettings);
  switch (task.task) {
    case "plan":
      return plan(
        {
          ...task,
          logLookbackDays: env.LOG_LOOKBACK_DAYS,
          forceReprocessLookbackDays: env.FORCE_REPROCESS_LOOKBACK_DAYS,
        },
        store,
        tables,
        clients.definitions,
      );
    case "transform": {
      const { definitions } = await settings();
      const { rows, rejected } = await withEngine(limits, (engine) => transform(task, store, definitions, engine));
      return { rows, rejected };
    }
    case "collect":
      return collect(task.run, store);
    case "deduplicate": {
      const used = await settings();
      const { rows, duplicates } = await withEngine(limits, (engine) => deduplicate(task, store, used, engine));
      return { rows, duplicates };
    }
    case "scan": {
      const { definitions } = await settings();
      return withEngine(limits, (engine) => scan(task, store, tables, definitions, engine, deadline));
    }
    case "finish":
      return finish(task.run, store, popularItems);
  }
}

function errorKey(task: EtlTask): string | undefined {
  switch (task.task) {
    case "transform":
      return sharedKeys.groupError(task.day, task.digest);
    case "deduplicate":
      return runKeys(task.run).shardError(task.shard);
    case "scan":
      return runKeys(task.run).scanError(task.dataset, task.segment);
    default:
      return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
