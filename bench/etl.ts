import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createGzip } from "node:zlib";
import { buildFunctions } from "../build/functions.ts";
import { withNativeCode } from "../build/native.ts";
import { createHandler } from "../functions/etl/handler.ts";
import type { ObjectStore } from "../lib/platform/aws/object-store.ts";
import { generateSchemas } from "../lib/recommendation/schema/generate.ts";
import { type Benchmark, bytes, load, median, ms, type Row, times } from "./result.ts";

/**
 * The recorded figures are of ten and of a hundred million: `EVENTS=10000000 make bench ARGS=etl`. A run replaces only the
 * rows of its own size.
 */
const EVENTS = Number(process.env.EVENTS ?? 1_000_000);
const EVENTS_OF_OBJECT = 500_000;
const DUPLICATES = 0.05;
/** Characters that the generator writes at once. */
const PIECE = 1_000_000;
const OPENINGS = 9;
const BUDGET = 400_000;
const MEMORY_BUDGET_MB = 1_000;
/** The function's memory: see lib/infrastructure/functions.ts. Run with NODE_OPTIONS=--max-old-space-size=1100 for its heap. */
const BUILT_IN_BUDGET_MB = 1_769;
const WHOLE_BUDGET_SECONDS = 300;
/** Of training with ten times as many events by ten times as many users. */
const PROPORTION = 12;
const USERS = 200_003;
const ITEMS = 100_003;
/** Users and items of one taste meet. */
const TASTES = 8;
/** As deployed: see lib/infrastructure/functions.ts. */
const ENGINE_MB = 600;

/**
 * Measures ETL and the built-in engine: events per second of processor time and peak memory of transform and deduplication, over generated
 * events as Firehose stores them (gzip, 5 % duplicates). A folder stands in for the bucket, so that only ETL is
 * measured.
 */
export const etlBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const { whole, transform, deduplicate, builtIn, finished } = await measureRun(EVENTS, USERS);
    const tenth = await measureRun(Math.round(EVENTS / 10), Math.round(USERS / 10));
    const growth = builtIn.cpu / tenth.builtIn.cpu;
    const cpu = transform.cpu + deduplicate.cpu;
    const peak = Math.max(transform.peak, deduplicate.peak);
    const size = `${EVENTS.toLocaleString("en")} events`;
    return [
      {
        what: `ETL, interactions a second a core, ${size}`,
        size: EVENTS,
        budget: "≥ 400,000",
        reached: perSecond(EVENTS, cpu),
        kept: EVENTS / cpu >= BUDGET,
        note:
          `of processor time: transform ${perSecond(EVENTS, transform.cpu)}, deduplicate ` +
          `${perSecond(EVENTS, deduplicate.cpu)}; elapsed ${(transform.seconds + deduplicate.seconds).toFixed(1)} s; ` +
          `${finished} rows written; ${load()}. Each event goes through both steps`,
      },
      {
        what: `ETL, peak resident memory, ${size}`,
        size: EVENTS,
        budget: "≤ 1 GB",
        reached: `${peak.toFixed(0)} MB`,
        kept: peak <= MEMORY_BUDGET_MB,
        note: `transform ${transform.peak.toFixed(0)} MB, deduplicate ${deduplicate.peak.toFixed(0)} MB; the engine's limit is ${ENGINE_MB} MB`,
      },
      {
        what: `built-in engine, peak resident memory of training, ${size}`,
        size: EVENTS,
        budget: "≤ 1,769 MB, the function's memory",
        reached: `${builtIn.peak.toFixed(0)} MB`,
        kept: builtIn.peak <= BUILT_IN_BUDGET_MB,
        note:
          `${builtIn.cpu.toFixed(1)} s of processor time, ${perSecond(EVENTS, builtIn.cpu)} events a second; elapsed ` +
          `${builtIn.seconds.toFixed(1)} s; ${builtIn.factors} factors. Without the table, and without texts of items; ${load()}`,
      },
      {
        what: `ETL and built-in engine, processor time of a whole training, ${size} of 100,003 items`,
        size: EVENTS,
        budget: "≤ 300 s",
        reached: `${whole.cpu.toFixed(1)} s`,
        kept: whole.cpu <= WHOLE_BUDGET_SECONDS,
        note: `peak ${whole.peak.toFixed(0)} MB, elapsed ${whole.seconds.toFixed(1)} s; Lambda ends a call after 900 s; ${load()}`,
      },
      {
        what: `built-in engine, processor time of training beside that of a tenth of the events, ${size}`,
        size: EVENTS,
        budget: `≤ ${PROPORTION}x`,
        reached: times(growth),
        kept: growth <= PROPORTION,
        note:
          `${builtIn.cpu.toFixed(1)} s, beside ${tenth.builtIn.cpu.toFixed(1)} s for a tenth of the events by a tenth of the ` +
          `users: as many events a user; ${load()}`,
      },
      await coldStart(),
    ];
  },
};

/** Opens the engine, with its native code, and runs a first statement. */
const PROBE = `
const [engine, folder] = process.argv.slice(1);
const start = performance.now();
const { withEngine } = await import(engine);
await withEngine({ memoryMb: ${ENGINE_MB}, threads: 1, folder }, (opened) => opened.run("SELECT 1"));
console.log(performance.now() - start);
`;

/** Measures what DuckDB adds to a cold start, on this machine, and the archive for Lambda's processor. */
async function coldStart(): Promise<Row> {
  const engine = new URL("../lib/recommendation/etl/sql.ts", import.meta.url).href;
  const run = () => execFileSync(process.execPath, ["--input-type=module", "-e", PROBE, engine, tmpdir()]);
  const took = Array.from({ length: OPENINGS }, () => Number(run().toString()));
  const outdir = mkdtempSync(join(tmpdir(), "bench-etl-"));
  try {
    const { etl } = await buildFunctions({ outdir, functions: ["etl"], files: await withNativeCode({}, ["etl"]) });
    const size = bytes(statSync(etl?.zip ?? "").size);
    const note = `median of ${OPENINGS} fresh processes, fastest ${ms(Math.min(...took))}. Lambda takes archives of 50 MB`;
    const reached = `${ms(median(took))}, ${size} archive`;
    return { what: "ETL, opening DuckDB in a fresh process", budget: "none", reached, kept: undefined, note };
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

const perSecond = (events: number, seconds: number) => Math.round(events / seconds).toLocaleString("en");

interface Cost {
  seconds: number;
  cpu: number;
  peak: number;
}

const NOTHING: Cost = { seconds: 0, cpu: 0, peak: 0 };

/** Runs ETL once over this many events of so many users, in a folder of its own. */
async function measureRun(
  events: number,
  users: number,
): Promise<{ whole: Cost; transform: Cost; deduplicate: Cost; builtIn: Cost & { factors: number }; finished: number }> {
  const folder = mkdtempSync(join(tmpdir(), "bench-etl-"));
  try {
    const store = folderStore(folder);
    await generate(folder, events, users);
    const call = await createEtl(store);
    const listed = async (output: object, list: string): Promise<object[]> => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of (await store.read(String(Reflect.get(output, list)))) ?? []) chunks.push(chunk);
      return JSON.parse(Buffer.concat(chunks).toString());
    };
    const startedAt = "2025-03-01T12:00:00Z";
    let [transform, deduplicate, builtIn] = [NOTHING, NOTHING, { ...NOTHING, factors: 0 }];
    let result: object = {};
    const whole = await measured(async () => {
      const plan = await call({ task: "plan", run: "r", startedAt, mode: "init", checks: [{ name: "all" }] });
      transform = await measured(async () => {
        for (const task of await listed(plan, "readsKey")) await call(task);
      });
      deduplicate = await measured(async () => {
        for (const task of await listed(plan, "shardsKey")) await call(task);
      });
      result = await call({ task: "finish", run: "r" });
      let next: object = {};
      const cost = await measured(async () => {
        for (const task of await listed(plan, "engineKey")) {
          for (next = await call(task); !Reflect.get(next, "done"); ) next = await call(next);
        }
      });
      builtIn = { ...cost, factors: Number(Reflect.get(Reflect.get(next, "model"), "factors")) };
    });
    return { whole, transform, deduplicate, builtIn, finished: Number(Reflect.get(result, "interactions")) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function folderStore(folder: string): ObjectStore {
  return {
    async *list(prefix) {
      const below = join(folder, prefix);
      const names = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => path.startsWith(below))
        .sort();
      for (const path of names) {
        const { size } = statSync(path);
        yield { key: path.slice(folder.length + 1), etag: String(size), size };
      }
    },
    async read(key) {
      const path = join(folder, key);
      if (!statSync(path, { throwIfNoEntry: false })) return undefined;
      return createReadStream(path, { highWaterMark: 256 * 1_024 });
    },
    async write(key, body) {
      const path = join(folder, key);
      mkdirSync(dirname(path), { recursive: true });
      if (typeof body === "object" && "file" in body) copyFileSync(body.file, path);
      else writeFileSync(path, body);
    },
    async remove() {},
  };
}

async function generate(folder: string, events: number, users: number): Promise<void> {
  const objects = Math.max(1, Math.ceil(events / EVENTS_OF_OBJECT));
  for (let object = 0; object < objects; object += 1) {
    const path = join(folder, `events/2025/03/01/${String(object).padStart(4, "0")}.gz`);
    mkdirSync(dirname(path), { recursive: true });
    const gzip = createGzip({ level: 1 });
    const file = gzip.pipe(createWriteStream(path));
    const count = Math.ceil(events / objects);
    let text = "";
    for (let index = 0; index < count; index += 1) {
      const number = object * count + index;
      // Repeats an id from the end of the previous object: a duplicate across objects.
      const id = index < count * DUPLICATES && object > 0 ? object * count - 1 - index : number;
      const person = (number * 7919) % users;
      const user = `U${person}`;
      text += `{"EVENT_ID":"0190b7a2-6c3e-7c5a-9f10-${String(id).padStart(12, "0")}","USER_ID":"${user}","ITEM_ID":"B${itemOf(number, person % TASTES)}","EVENT_TYPE":"${number % 5 ? "view" : "purchase"}",${number % 5 ? "" : '"EVENT_VALUE":12.5,'}"TIMESTAMP":${1_740_000_000 + (number % 86_400)},"SESSION_ID":"${user}"}\n`;
      if (text.length < PIECE && index + 1 < count) continue;
      if (!gzip.write(text)) await once(gzip, "drain");
      text = "";
    }
    gzip.end();
    await once(file, "finish");
  }
}

/** Returns the item of an event: of the user's taste, the first ones more often, as the square of a spread number says. */
function itemOf(number: number, taste: number): number {
  const spread = (Math.imul(number, 0x9e3779b1) >>> 0) / 2 ** 32;
  return Math.floor((spread ** 2 * ITEMS) / TASTES) * TASTES + taste;
}

/** Returns the etl function over a store, without tables. */
async function createEtl(store: ObjectStore): Promise<(input: object) => Promise<object>> {
  const sample = new URL("../test/fixtures/sample-data/", import.meta.url).pathname;
  const { schemas, etl } = await generateSchemas({
    user: `${sample}users.csv`,
    item: `${sample}items.csv`,
    interaction: `${sample}interactions.csv`,
    textualFields: ["TITLE"],
  });
  const handler = createHandler(
    {
      BUCKET: "b",
      USERS_TABLE: "u",
      ITEMS_TABLE: "i",
      POPULAR_ITEMS_TABLE: "p",
      BUILT_IN_TABLE: "b",
      LOG_LOOKBACK_DAYS: 1,
      FORCE_REPROCESS_LOOKBACK_DAYS: 0,
      ENGINE_MEMORY_MB: ENGINE_MB,
    },
    {
      settings: { schemas, etl },
      store,
      popularItems: { write: async () => {} },
      builtIn: { write: async () => {}, removeOthers: async () => true },
      limits: { memoryMb: ENGINE_MB, threads: 1, folder: tmpdir() },
      tables: { size: async () => 0, scan: async () => ({ records: [], last: null }) },
    },
  );
  return (input) => handler(input, { getRemainingTimeInMillis: () => 900_000 });
}

/** Returns elapsed and processor time of an operation, in seconds, and its peak resident memory, in MB. */
async function measured(operation: () => Promise<void>): Promise<Cost> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  const cpu = process.cpuUsage();
  const start = performance.now();
  await operation();
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - start) / 1_000, cpu: (user + system) / 1e6, peak: peak / 2 ** 20 };
}
