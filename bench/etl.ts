/**
 * What ETL costs: rows a second and peak memory of the transform and of the deduplication, over generated events as
 * Firehose stores them (gzip, 5 % duplicates). The bucket is a folder of objects in memory-sized pieces made on the
 * fly, so that nothing but ETL is measured. `node bench/etl.ts [events]`, 10 million by default.
 */
import { once } from "node:events";
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createGzip } from "node:zlib";
import { createHandler } from "../functions/etl/handler.ts";
import type { ObjectStore } from "../lib/etl/object-store.ts";
import { generateSchemas } from "../lib/recommendation-schema/generate.ts";

const EVENTS = Number(process.argv[2] ?? 10_000_000);
const OBJECTS = Math.max(1, Math.ceil(EVENTS / 500_000));
const DUPLICATES = 0.05;

const folder = mkdtempSync(join(tmpdir(), "bench-etl-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

const store: ObjectStore = {
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
  async read(key, range) {
    const path = join(folder, key);
    if (!statSync(path, { throwIfNoEntry: false })) return undefined;
    return createReadStream(path, range ? { start: range.start, end: range.end - 1 } : { highWaterMark: 256 * 1_024 });
  },
  async write(key, body) {
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), body);
  },
  async remove() {},
};

async function generate() {
  for (let object = 0; object < OBJECTS; object += 1) {
    const path = join(folder, `events/2025/03/01/${String(object).padStart(4, "0")}.gz`);
    mkdirSync(dirname(path), { recursive: true });
    const gzip = createGzip({ level: 1 });
    const file = gzip.pipe(createWriteStream(path));
    const count = Math.ceil(EVENTS / OBJECTS);
    for (let index = 0; index < count; index += 1) {
      const number = object * count + index;
      // An id of the end of the object before: a duplicate across objects.
      const id = index < count * DUPLICATES && object > 0 ? object * count - 1 - index : number;
      const user = `U${(number * 7919) % 200_003}`;
      const line = `{"EVENT_ID":"0190b7a2-6c3e-7c5a-9f10-${String(id).padStart(12, "0")}","USER_ID":"${user}","ITEM_ID":"B${(number * 31) % 50_021}","EVENT_TYPE":"${number % 5 ? "view" : "purchase"}",${number % 5 ? "" : '"EVENT_VALUE":12.5,'}"TIMESTAMP":${1_740_000_000 + (number % 86_400)},"SESSION_ID":"${user}"}\n`;
      if (!gzip.write(line)) await once(gzip, "drain");
    }
    gzip.end();
    await once(file, "finish");
  }
}

const sample = new URL("../test/fixtures/sample-data/", import.meta.url).pathname;
const { schemas, etl } = await generateSchemas({
  user: `${sample}users.csv`,
  item: `${sample}items.csv`,
  interaction: `${sample}interactions.csv`,
  textualFields: ["TITLE"],
});
for (const [key, content] of Object.entries({ ...schemas, etl }))
  await store.write(`configuration/${key}`, JSON.stringify(content));

const handler = createHandler(
  {
    BUCKET: "b",
    USERS_TABLE: "u",
    ITEMS_TABLE: "i",
    POPULAR_ITEMS_TABLE: "p",
    USER_SCHEMA_KEY: "configuration/user",
    ITEM_SCHEMA_KEY: "configuration/item",
    INTERACTION_SCHEMA_KEY: "configuration/interaction",
    ETL_CONFIGURATION_KEY: "configuration/etl",
    LOG_LOOKBACK_DAYS: 1,
    FORCE_REPROCESS_LOOKBACK_DAYS: 0,
  },
  {
    store,
    popularItems: { write: async () => {} },
    tables: { size: async () => 0, scan: async () => ({ records: [], last: null }) },
  },
);
const call = (input: object): Promise<object> => handler(input, { getRemainingTimeInMillis: () => 900_000 });
const listed = async (output: object, key: string): Promise<object[]> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await store.read(String(Reflect.get(output, key)))) ?? []) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
};

/** Elapsed time and the largest resident memory while an operation runs, in MB. */
async function measured(operation: () => Promise<void>) {
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

const report = (what: string, { seconds, cpu, peak }: Awaited<ReturnType<typeof measured>>) =>
  console.log(
    `${what.padEnd(14)} ${Math.round(EVENTS / seconds).toLocaleString("en")} events/s, ` +
      `${Math.round(EVENTS / cpu).toLocaleString("en")} events/s of processor time, peak ${peak.toFixed(0)} MB resident`,
  );

console.log(
  `${EVENTS.toLocaleString("en")} events in ${OBJECTS} gzip objects; ${cpus()[0]?.model}, Node ${process.version}`,
);
await generate();
const plan = await call({
  task: "plan",
  run: "r",
  startedAt: "2025-03-01T12:00:00Z",
  mode: "init",
  checks: [{ name: "all" }],
});
report(
  "transform",
  await measured(async () => {
    for (const task of await listed(plan, "groupsKey")) await call(task);
  }),
);
const collected = await call({ task: "collect", run: "r" });
report(
  "deduplicate",
  await measured(async () => {
    for (const task of await listed(collected, "shardsKey")) await call(task);
  }),
);
for (const task of await listed(plan, "scansKey")) await call(task);
console.log(JSON.stringify(await call({ task: "finish", run: "r" })));
