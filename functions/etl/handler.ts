import * as v from "valibot";
import type { ObjectStore } from "../../lib/platform/aws/object-store.ts";
import type { Deadline, Invocation } from "../../lib/platform/resilience/deadline.ts";
import type { DatabaseLimits } from "../../lib/platform/sql/database.ts";
import { build } from "../../lib/recommendation/built-in/build.ts";
import type { BuiltInTable } from "../../lib/recommendation/clients/built-in-table.ts";
import type { PopularItemsStore, TableSource } from "../../lib/recommendation/clients/dynamo-tables.ts";
import { deduplicate } from "../../lib/recommendation/etl/deduplicate.ts";
import { finish } from "../../lib/recommendation/etl/finish.ts";
import { plan } from "../../lib/recommendation/etl/plan.ts";
import { EtlError, errorKey, readFile, runKeys } from "../../lib/recommendation/etl/run-files.ts";
import { scan } from "../../lib/recommendation/etl/scan.ts";
import { withEngine } from "../../lib/recommendation/etl/sql.ts";
import { type EtlSettings, EtlTask, RunPlan } from "../../lib/recommendation/etl/tasks.ts";
import { transform } from "../../lib/recommendation/etl/transform.ts";
import type { EtlEnv } from "./env.ts";

/** The stores of etl, its settings, and what its engine may use. */
export interface EtlClients {
  /** The definitions are those deployed with the datasets. Those in the bucket are uploaded before the datasets change. */
  settings: EtlSettings;
  store: ObjectStore;
  tables: TableSource;
  popularItems: PopularItemsStore;
  builtIn: BuiltInTable;
  limits: DatabaseLimits;
}

/** Returns a handler that runs one step per call. A failed item of a map step stores its error for the next step. */
export function createHandler(env: EtlEnv, clients: EtlClients) {
  return async (event: unknown, context: Invocation): Promise<object> => {
    const parsed = v.safeParse(EtlTask, event);
    if (!parsed.success) throw new EtlError(`The input is not a step of ETL: ${v.summarize(parsed.issues)}`);
    const task = parsed.output;
    try {
      return await work(task, env, clients, { remaining: () => context.getRemainingTimeInMillis() });
    } catch (error) {
      // The original error matters more than a failure to store it.
      if ("result" in task) await clients.store.write(errorKey(task.result), messageOf(error)).catch(() => undefined);
      throw error;
    }
  };
}

async function work(task: EtlTask, env: EtlEnv, clients: EtlClients, deadline: Deadline): Promise<object> {
  const { store, tables, popularItems, builtIn, limits } = clients;
  if (task.task === "plan") {
    const days = { lookbackDays: env.LOG_LOOKBACK_DAYS, forcedDays: env.FORCE_REPROCESS_LOOKBACK_DAYS };
    return plan(task, days, store, tables, clients.settings);
  }
  if (task.task === "built-in") return withEngine(limits, (engine) => build(task, store, builtIn, engine, deadline));
  if (task.task === "finish") return withEngine(limits, (engine) => finish(task.run, store, popularItems, engine));
  const planned = await readFile(store, runKeys(task.run).plan, RunPlan);
  return withEngine(limits, async (engine) => {
    switch (task.task) {
      case "scan":
        return scan(task, store, tables, planned.definitions, engine, deadline);
      case "transform":
        return { done: true, ...(await transform(task, store, planned.definitions, engine)) };
      case "deduplicate":
        return { done: true, rows: await deduplicate(task, store, planned, engine) };
    }
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
