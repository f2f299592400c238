import { tmpdir } from "node:os";
import { gzipSync } from "node:zlib";
import { createHandler } from "../../../../functions/etl/handler.ts";
import type { ObjectStore } from "../../../../lib/platform/aws/object-store.ts";
import type { DatabaseLimits } from "../../../../lib/platform/sql/database.ts";
import { findFile, runKeys } from "../../../../lib/recommendation/etl/run-files.ts";
import { type EtlSettings, Manifest } from "../../../../lib/recommendation/etl/tasks.ts";
import { type Definitions, eventLine, type StoredEvent } from "../../../../lib/recommendation/records/layout.ts";
import { generateSchemas } from "../../../../lib/recommendation/schema/generate.ts";
import { MemoryBuiltIn, MemoryPopularItems, MemoryStore, memoryTables } from "./memory.ts";

/** The start of test runs, on the last day that they read. */
export const STARTED = "2025-03-02T08:00:00.000Z";

const folder = new URL("../../../fixtures/sample-data/", import.meta.url).pathname;
const { schemas, etl } = await generateSchemas({
  user: `${folder}users.csv`,
  item: `${folder}items.csv`,
  interaction: `${folder}interactions.csv`,
  textualFields: ["TITLE"],
});
export const DEFINITIONS: Definitions = { schemas, etl };

const ENV = {
  BUCKET: "bucket",
  USERS_TABLE: "users",
  ITEMS_TABLE: "items",
  POPULAR_ITEMS_TABLE: "popular",
  BUILT_IN_TABLE: "built-in",
  LOG_LOOKBACK_DAYS: 3,
  FORCE_REPROCESS_LOOKBACK_DAYS: 0,
  ENGINE_MEMORY_MB: 200,
};

export const LIMITS: DatabaseLimits = { memoryMb: 200, threads: 1, folder: tmpdir() };

/** A user and an item of the sample's schema. */
export const USER = { USER_ID: "U1", GENDER: "F", AGE: 34, LOCATION: 10115, MEMBERSHIP_ID: "M-1", IS_ACTIVE: "True" };
export const ITEM = { ITEM_ID: "B1", TITLE: 'A "quoted", title', AUTHOR: "Ada", CATEGORIES: "a|b", IS_ACTIVE: "True" };

/** An event of the sample's schema. */
export function event(id: string, change: Partial<StoredEvent> = {}): StoredEvent {
  return {
    EVENT_ID: id,
    USER_ID: "U1",
    ITEM_ID: "B1",
    EVENT_TYPE: "view",
    TIMESTAMP: 1_740_000_000,
    SESSION_ID: "U1",
    ...change,
  };
}

/** A bucket, tables and the function, and a stand-in for the state machine. */
export function world(options: { env?: Partial<typeof ENV>; tableBytes?: number } = {}) {
  const store = new MemoryStore();
  const popular = new MemoryPopularItems();
  const builtIn = new MemoryBuiltIn();
  const records = { user: [USER] as Record<string, unknown>[], item: [ITEM] as Record<string, unknown>[] };
  const deployed = (settings: EtlSettings) =>
    createHandler(
      { ...ENV, ...options.env },
      {
        settings,
        store,
        popularItems: popular,
        builtIn,
        tables: memoryTables(records, options.tableBytes),
        limits: LIMITS,
      },
    );
  let handler = deployed(DEFINITIONS);
  const call = (input: unknown) => handler(input, { getRemainingTimeInMillis: () => 900_000 });

  return {
    store,
    popular,
    builtIn,
    records,
    call,

    /** Deploys other schemas or event types. */
    deploy(settings: EtlSettings) {
      handler = deployed(settings);
    },

    /** Puts an object the way Firehose does. */
    events(day: string, name: string, events: readonly StoredEvent[] | string, gzip = false) {
      const text = typeof events === "string" ? events : events.map(eventLine).join("");
      const key = `events/${day.replaceAll("-", "/")}/13/${name}`;
      store.objects.set(key, gzip ? gzipSync(text) : Buffer.from(text));
    },

    /** Trains the built-in engine on a run. Each look at the clock takes a millisecond of a call's time. */
    async learn(run: string, times: readonly number[] = [900_000]) {
      let calls = 0;
      const [first] = JSON.parse(store.text(runKeys(run).engine));
      for (let next: object = first; !("done" in next && next.done); calls += 1) {
        let left = times[Math.min(calls, times.length - 1)] ?? 0;
        next = await handler(next, { getRemainingTimeInMillis: () => left-- });
      }
      return calls;
    },

    /** Runs the steps in the order of the state machine, and tolerates failed items of a map. */
    async run(run: string, input: { mode?: string; checks?: unknown[] } = {}) {
      const { mode = "init", checks = [] } = input;
      const planned = await call({ task: "plan", run, startedAt: STARTED, mode, checks });
      await mapOver(planned, "readsKey");
      await mapOver(planned, "shardsKey");
      return call({ task: "finish", run });
    },
  };

  async function mapOver(planned: object, list: string) {
    for (const item of JSON.parse(store.text(String(Reflect.get(planned, list))))) {
      try {
        for (let next = await call(item); "done" in next && !next.done; ) next = await call(next);
      } catch {
        // Only the last step can report it.
      }
    }
  }
}

/** Reads the manifest of a run. Undefined if the run is incomplete. */
export const readManifest = (store: ObjectStore, run: string) => findFile(store, runKeys(run).manifest, Manifest);

/** Returns the rows of all files of a dataset, in the order of the files, without headers. */
export function rowsOf(store: MemoryStore, run: string, dataset: "users" | "items" | "interactions"): string[] {
  const texts = Object.values(store.texts(`etl/run=${run}/${dataset}/`));
  return texts.flatMap((text) => text.trimEnd().split("\n").slice(1));
}
