import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eachConcurrently } from "../lib/core/resilience/concurrently.ts";
import { readSlices } from "../lib/search/index/import/slices.ts";
import { books } from "../local/demo-data/books.ts";
import { HYBRID_MAPPING, hybridIndex, startUpstreams } from "../test/fixtures/gateway.ts";
import { direct, FOLDER, startCluster } from "./gateway-setup.ts";
import { contents, startTool, succeeded, type ToolProcess, writeConf, writesTo } from "./index-tool.ts";
import { type Benchmark, bytes, load, type Row, times } from "./result.ts";
import { startServerProcess } from "./server-process.ts";

const COUNT = Number(process.env.BENCH_DOCUMENTS ?? 1_000_000);
const EMBEDDED = COUNT / 20;
const SETTINGS = '{"settings":{"number_of_shards":1,"number_of_replicas":0,"refresh_interval":"-1"}}';
const SLICE_BYTES = 2 * 1024 * 1024;

/** Imports a million documents, compared with native `_bulk` from the same machine, and fewer with embeddings and kills. */
export const importBenchmark: Benchmark = {
  name: "import",
  async run(): Promise<Row[]> {
    const upstreams = await startUpstreams({ asRoot: true });
    const cluster = await startCluster();
    const server = await startServerProcess(cluster.url, { indexes: [hybridIndex("embedded")] });
    try {
      return [...(await plain(cluster.url, server.url)), await embedded(cluster.url, server.url)];
    } finally {
      await server.stop();
      await cluster.stop();
      await upstreams.stop();
    }
  },
};

/** Starts the import of a file of documents, whose ids are in `isbn`. */
const startImport = (conf: string, gateway: string, index: string, file: string) =>
  startTool(conf, gateway, "import", "--index", index, "--from", file, ...FORMAT);

const FORMAT = ["--format", "documents", "--id-field", "isbn"];

async function plain(cluster: string, gateway: string): Promise<Row[]> {
  const texts = books(20_000);
  const documentOf = (id: number) => JSON.stringify({ isbn: `b${id}`, ...texts[id % texts.length] });
  const file = await written("plain.ndjson", COUNT, (id) => `${documentOf(id)}\n`);
  const pairs = await written("plain.bulk", COUNT, (id) => `{"index":{"_id":"b${id}"}}\n${documentOf(id)}\n`);
  // Both write a part first, so that the cluster's code is compiled for the second as for the first.
  await nativeBulk(
    cluster,
    "warm",
    await written("warm.bulk", COUNT / 10, (id) => `{"index":{"_id":"b${id}"}}\n${documentOf(id)}\n`),
  );
  await direct(cluster, "PUT", "/ours", SETTINGS);
  const conf = writeConf();
  const started = performance.now();
  const tool = startImport(conf, gateway, "ours", file);
  const out = await succeeded(tool);
  const ours = COUNT / ((performance.now() - started) / 1_000);
  const native = await nativeBulk(cluster, "native", pairs);
  const { documents, writes } = await contents(cluster, "ours");
  if (documents !== COUNT || writes !== COUNT) throw new Error(`${documents} documents by ${writes} writes: ${out}`);
  const [early, late] = halves(tool);
  return [
    {
      what: `import of ${COUNT.toLocaleString("en")} documents, compared with native _bulk of the same documents`,
      budget: "≥ 0.8x documents a second",
      reached: times(ours / native),
      kept: ours / native >= 0.8,
      note:
        `${ours.toFixed(0)} and ${native.toFixed(0)} documents a second, ids from the documents, one shard without a copy; ` +
        `bodies of 2 MiB, at most 8 at a time, on both sides. Gateway, tool and cluster share the machine; ${load()}`,
    },
    {
      what: "memory of the tool during that import",
      budget: "flat: the second half ≤ 1.2x of the first",
      reached: times(late / early),
      kept: late <= early * 1.2,
      note: `at most ${bytes(early)} in the first half, ${bytes(late)} in the second`,
    },
  ];
}

async function nativeBulk(cluster: string, index: string, file: string): Promise<number> {
  await direct(cluster, "PUT", `/${index}`, SETTINGS);
  const started = performance.now();
  const open = async function* () {
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) yield chunk as Buffer;
  };
  const next = { slice: 0, file: 0, offset: 0 };
  const slices = readSlices([{ name: file, size: 0, tag: "" }], open, {
    format: "bulk",
    next,
    slice_bytes: SLICE_BYTES,
  });
  await eachConcurrently(slices, 8, async ({ bytes }) => {
    await direct(cluster, "POST", `/${index}/_bulk`, bytes.toString(), "application/x-ndjson");
  });
  await direct(cluster, "POST", `/${index}/_refresh`);
  return COUNT / ((performance.now() - started) / 1_000);
}

async function embedded(cluster: string, gateway: string): Promise<Row> {
  await direct(cluster, "PUT", "/embedded", JSON.stringify(HYBRID_MAPPING));
  const texts = books(20_000);
  const file = await written(
    "embedded.ndjson",
    EMBEDDED,
    (id) => `${JSON.stringify({ isbn: `b${id}`, text: texts[id % texts.length]?.description })}\n`,
  );
  const conf = writeConf("embedded");
  const started = performance.now();
  const first = startImport(conf, gateway, "embedded", file);
  const id = await first.id;
  await writesReach(cluster, EMBEDDED / 4);
  first.kill();
  await first.ended;
  const second = startTool(conf, gateway, "import", "--resume", id);
  await writesReach(cluster, EMBEDDED / 2);
  second.kill();
  await second.ended;
  const out = await succeeded(startTool(conf, gateway, "import", "--resume", id));
  const rate = EMBEDDED / ((performance.now() - started) / 1_000);
  const { documents, writes } = await contents(cluster, "embedded");
  const [read = 0, ...parts] = [...out.matchAll(/(\d+) (?:read|written|unchanged|rejected)/g)].map(([, one]) =>
    Number(one),
  );
  const fits = read === parts.reduce((sum, one) => sum + one, 0);
  return {
    what: `import of ${EMBEDDED.toLocaleString("en")} documents with embeddings, killed twice: documents and writes`,
    budget: `${EMBEDDED} each, and the sum fits`,
    reached: `${documents} documents by ${writes} writes`,
    kept: documents === EMBEDDED && writes === EMBEDDED && fits,
    note: `${out.trim()}; ${rate.toFixed(0)} documents a second, kills included; models by the stand-in; ${load()}`,
  };
}

async function writesReach(cluster: string, count: number): Promise<void> {
  while ((await writesTo(cluster, "embedded")) < count) await sleep(500);
}

async function written(name: string, count: number, lineOf: (id: number) => string): Promise<string> {
  const file = join(FOLDER, name);
  const stream = createWriteStream(file);
  for (let from = 0; from < count; from += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, count - from) }, (_, at) => lineOf(from + at)).join("");
    if (!stream.write(lines)) await new Promise<void>((resolve) => stream.once("drain", () => resolve()));
  }
  await new Promise<void>((resolve) => stream.end(() => resolve()));
  return file;
}

/** Returns the most memory of a tool in each half of its time. */
function halves({ rss }: ToolProcess): [number, number] {
  const middle = Math.floor(rss.length / 2);
  return [Math.max(...rss.slice(0, middle)), Math.max(...rss.slice(middle))];
}
