import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { OpenSearchVersion } from "../local/opensearch/versions.ts";
import { direct, startCluster } from "./gateway-setup.ts";
import {
  heapInUse,
  startTool,
  succeeded,
  type ToolProcess,
  throttlingProxy,
  watchFieldData,
  writeConf,
  writesTo,
} from "./index-tool.ts";
import { A_SECOND, bodyOf, contentOf, differences, fill, startTraffic, type Times } from "./index-traffic.ts";
import { type Benchmark, bytes, load, ms, type Row } from "./result.ts";
import { startServerProcess } from "./server-process.ts";

/** Documents of the index. */
const COUNT = Number(process.env.BENCH_DOCUMENTS ?? 200_000);
/** Seconds of reads and writes that the rebuild is compared with. */
const CALM_SECONDS = 30;
/** One call of the tool in so many gets 429, as of a busy node. */
const THROTTLED = 50;
/** The longest that a run holds writes, in milliseconds: documents written before that are the same in both indexes. */
const HOLD_MS = 21_000;
const ALIAS = "live";

/** Rebuilds an index with vectors while others write and search, kills the tool three times, and throttles its calls. */
export const rebuildBenchmark: Benchmark = { name: "rebuild", run: () => measured("that rebuild") };

/** The same on OpenSearch 3.6.0. */
export const rebuild3Benchmark: Benchmark = {
  name: "rebuild-3",
  run: () => measured("that rebuild on OpenSearch 3.6.0", "3.6.0"),
};

async function measured(that: string, version?: OpenSearchVersion): Promise<Row[]> {
  const cluster = await startCluster(version);
  const server = await startServerProcess(cluster.url);
  const proxy = await throttlingProxy(server.url, THROTTLED);
  const toStop: Array<() => unknown> = [];
  try {
    const content = await fill(cluster.url, { alias: ALIAS, count: COUNT });
    const heapBefore = await heapInUse(cluster);
    const fieldData = watchFieldData(cluster.url);
    const traffic = startTraffic(
      { gateway: server.url, cluster: cluster.url },
      { alias: ALIAS, count: COUNT, content },
    );
    toStop.push(fieldData.stop, traffic.stop);
    await sleep(5_000);
    traffic.take();
    await sleep(CALM_SECONDS * 1_000);
    const before = traffic.take();
    const fieldDataBefore = fieldData.most();
    const started = performance.now();
    const run = await rebuilt(cluster.url, proxy.url, traffic.take);
    const seconds = (performance.now() - started) / 1_000;
    await sleep(2_000);
    await traffic.stop();
    const fieldDataGrowth = fieldData.stop() - fieldDataBefore;
    const heapAfter = await heapInUse(cluster);

    const after = await contentOf(cluster.url, ALIAS);
    const wrong = differences(content, after);
    const old = await contentOf(cluster.url, `${ALIAS}-first`);
    const late = traffic.writtenSince(Date.parse(run.switchedAt) - HOLD_MS);
    const unequal = differences(old, after, late);
    const { failures } = traffic;
    const { during, held } = run;
    return [
      {
        what: `rebuild of ${COUNT.toLocaleString("en")} documents with vectors among ${A_SECOND} writes and ${A_SECOND} searches a second${version === undefined ? "" : ` on OpenSearch ${version}`}: failed requests; documents lost, revived or different; documents that differ between old and new`,
        budget: "0 each",
        reached: `${failures.length}, ${wrong}, ${unequal}`,
        kept: failures.length === 0 && wrong === 0 && unequal === 0,
        note:
          `${seconds.toFixed(0)} s, the tool killed while it copied, while it verified and while it held writes; ` +
          `${proxy.throttled()} of its calls answered with 429; ${run.report}. A fifth of the writes bypasses the gateway, a fifth ` +
          `deletes. ${after.size} documents; ${late.size} that were written later than ${HOLD_MS / 1_000} s before the switch are left out ` +
          `of the last figure${failures[0] === undefined ? "" : `; the first failure: ${failures[0]}`}`,
      },
      {
        what: `searches before and during ${that}`,
        budget: "none set",
        reached: timesText(during.searches),
        kept: undefined,
        note: `p50 / p99 of ${during.searches.length}, ${traffic.left()} requests not sent; before: ${timesText(before.searches)}. Cluster, gateway, tool and load share the machine; ${load()}`,
      },
      {
        what: `writes through the gateway before and during ${that}`,
        budget: "none set",
        reached: timesText(during.writes),
        kept: undefined,
        note:
          `p50 / p99 of ${during.writes.length}; before: ${timesText(before.writes)}; the longest, while the indexes were ` +
          `switched: ${ms(Math.max(...during.writes))}. Apart from these: ${held.writes.length} writes around the kill while writes ` +
          `were held, the longest ${ms(Math.max(...held.writes))}`,
      },
      {
        what: `field data of the cluster during ${that}`,
        budget: "no growth",
        reached: bytes(fieldDataGrowth),
        kept: fieldDataGrowth <= 0,
        note: "the highest of all readings, taken once a second",
      },
      {
        what: `heap of the cluster after ${that}`,
        budget: "≤ 1.2x of that before",
        reached: bytes(heapAfter),
        kept: heapAfter <= heapBefore * 1.2,
        note: `before: ${bytes(heapBefore)}; both after a full collection. Afterwards the node has both indexes and the run's records`,
      },
    ];
  } finally {
    for (const stop of toStop) await stop();
    await proxy.stop();
    await server.stop();
    await cluster.stop();
  }
}

interface Rebuilt {
  report: string;
  switchedAt: string;
  during: Times;
  /** Requests from the kill until writes resume. */
  held: Times;
}

interface StoredRun {
  passes: number;
  shards: Record<string, { mark: number; verified: number }>;
  switched_at?: string;
}

/** Runs the rebuild, and kills the tool while it copies, while it verifies and while it holds writes. */
async function rebuilt(cluster: string, gateway: string, take: () => Times): Promise<Rebuilt> {
  const conf = writeConf();
  const schema = join(conf, "schema.json");
  writeFileSync(schema, JSON.stringify(bodyOf("text")));
  const first = startTool(conf, gateway, "rebuild", "--index", ALIAS, "--schema", schema);
  const id = await first.id;
  const resume = () => startTool(conf, gateway, "rebuild", "--resume", id);
  const stored = async () =>
    ((await direct(cluster, "GET", `/relevance-run-${id}/_doc/run`)) as { _source: StoredRun })._source;

  await killed(first, "it copied", async () => (await writesTo(cluster, `${ALIAS}-${id}`)) > COUNT * 0.4);
  await killed(resume(), "it verified", async () => {
    const { passes, shards } = await stored();
    const sum = (values: number[]) => values.reduce((total, value) => total + value + 1, 0);
    const marks = sum(Object.values(shards).map(({ mark }) => mark));
    return passes > 0 || sum(Object.values(shards).map(({ verified }) => verified)) > marks * 0.3;
  });
  const holder = resume();
  await killed(holder, "it held writes", () => writesAreBlocked(cluster));
  const before = take();
  const last = resume();
  while (await writesAreBlocked(cluster)) await sleep(50);
  // Writes that waited have their answers now.
  await sleep(1_000);
  const held = take();
  await succeeded(last);
  const after = take();
  const during = { writes: [...before.writes, ...after.writes], searches: [...before.searches, ...after.searches] };
  return {
    report: (await last.ended).out.split("\n")[0] ?? "",
    switchedAt: (await stored()).switched_at ?? "",
    during,
    held,
  };
}

/** Kills a tool as soon as a condition holds. Throws if it ends before. */
async function killed(tool: ToolProcess, what: string, condition: () => Promise<boolean>): Promise<void> {
  let hasEnded = false;
  tool.ended.then(() => {
    hasEnded = true;
  });
  while (!(await condition())) {
    if (hasEnded) throw new Error(`the tool ended before it could be killed while ${what}: ${(await tool.ended).err}`);
    await sleep(5);
  }
  tool.kill();
  await tool.ended;
}

async function writesAreBlocked(cluster: string): Promise<boolean> {
  const index = `${ALIAS}-first`;
  const answer = (await direct(cluster, "GET", `/${index}/_settings/index.blocks.write?flat_settings=true`)) as Record<
    string,
    { settings: Record<string, string> }
  >;
  return answer[index]?.settings["index.blocks.write"] === "true";
}

const timesText = (values: readonly number[]): string => `${ms(at(values, 0.5))} / ${ms(at(values, 0.99))}`;

/** Returns a quantile. */
const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
