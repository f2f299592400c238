import { readdirSync, readFileSync } from "node:fs";
import { seeded } from "../lib/core/statistics/random.ts";
import { createPace } from "../lib/search/index/rebuild/pace.ts";
import { createRunCalls } from "../lib/search/index/rebuild/run-calls.ts";
import { noAuth } from "../lib/search/opensearch/auth.ts";
import { createCluster } from "../lib/search/opensearch/client.ts";
import { buildSuggestions } from "../lib/search/suggest/build.ts";
import { suggestionsAlias } from "../lib/search/suggest/name.ts";
import { hybridIndex, startUpstreams } from "../test/fixtures/gateway.ts";
import { direct, invoke, loadGateway, startCluster } from "./gateway-setup.ts";
import { type Benchmark, load, ms, type Row } from "./result.ts";

const COUNT = Number(process.env.BENCH_SUGGESTIONS ?? 1_000_000);
const BUDGET_MS = 30;
const WARM_UP = 500;
const CALLS = 1_000;
const WORDS = 30_000;
const SYLLABLES =
  "ba be bi bo bu da de di do ga ge go ka ke ki la le li lo ma me mi mo na ne no pa ra re ri sa se ta te ti to va za".split(
    " ",
  );

const SETTINGS = { searches: { days: 30, min_users: 5, half_life_days: 7 }, never: ["never"] };

/** What a call took, in milliseconds: on the clock, and of processor time in the function alone and with the cluster. */
type Took = Record<"wall" | "own" | "all", number>;

const p = (of: readonly Took[], kind: keyof Took, share: number) =>
  of.map((one) => one[kind]).toSorted((a, b) => a - b)[Math.floor(of.length * share)] ?? Number.NaN;
const both = (of: readonly Took[], kind: keyof Took) => `${ms(p(of, kind, 0.5))} and ${ms(p(of, kind, 0.99))}`;
const shown = (of: readonly Took[]) => `${both(of, "all")} of processor time, ${both(of, "wall")} on the clock`;

/** What the function asks of the cluster, beside the query. */
const BARE = { size: 10, track_total_hits: false, _source: ["text", "source"], sort: [{ weight: "desc" }] };

/** Measures how long the function takes to suggest, warm, one request after another, as somebody types. */
export const suggestBenchmark: Benchmark = {
  name: "suggest",
  async run(): Promise<Row[]> {
    const upstreams = await startUpstreams({ asRoot: true });
    const cluster = await startCluster("3.6.0");
    try {
      const random = seeded(37);
      const texts = plantedTexts(random);
      const calls = createRunCalls({
        cluster: createCluster({ node: cluster.url, auth: noAuth }),
        pace: createPace(1),
      });
      const searches = texts.map((text, at) => ({
        text,
        weight: texts.length / (at + 1),
        source: "searches" as const,
      }));
      const started = performance.now();
      await buildSuggestions({ calls, index: "bench", settings: SETTINGS, searches, now: new Date() });
      const seconds = (performance.now() - started) / 1_000;
      const handler = await loadGateway(cluster.url, { indexes: [hybridIndex("bench", { suggest: SETTINGS })] });
      let clusterMs = threadTimes(cluster.pid);
      const taken = async (call: () => Promise<unknown>): Promise<Took> => {
        const [inCluster, inFunction, before] = [clusterMs(), process.cpuUsage(), performance.now()];
        await call();
        const wall = performance.now() - before;
        const { user, system } = process.cpuUsage(inFunction);
        const own = (user + system) / 1_000;
        return { wall, own, all: own + clusterMs() - inCluster };
      };
      const suggest = (text: string) => () =>
        invoke(handler, "POST", "/application/suggest", JSON.stringify({ index: "bench", text }));
      const bare = (query: object) => () =>
        direct(cluster.url, "POST", `/${suggestionsAlias("bench")}/_search`, JSON.stringify({ ...BARE, query }));
      const took = { right: [], wrong: [], completion: [], anything: [] } as Record<string, Took[]>;
      for (let call = -WARM_UP; call < CALLS; call += 1) {
        // Some threads have started meanwhile.
        if (call === 0) clusterMs = threadTimes(cluster.pid);
        const text = texts[Math.floor(random() ** 2 * texts.length)] ?? "";
        const typed = text.slice(0, 1 + Math.floor(random() * text.length));
        // In turns, so that other load of the machine shows in all of them.
        const calls = {
          right: suggest(typed),
          wrong: suggest(withError(typed, random)),
          completion: bare({ match: { text: { query: typed, operator: "and" } } }),
          anything: bare({ match_all: {} }),
        };
        for (const [name, one] of Object.entries(calls)) {
          const result = await taken(one);
          if (call >= 0) took[name]?.push(result);
        }
      }
      const { right = [], wrong = [], completion = [], anything = [] } = took;
      const all = [...right, ...wrong];
      const p99 = p(all, "all", 0.99);
      return [
        {
          what: `suggestions for a typed text, of ${COUNT.toLocaleString("en")}`,
          budget: `p99 ≤ ${BUDGET_MS} ms of processor time, cluster included`,
          reached: `${ms(p99)} at p99, of which ${ms(p(all, "own", 0.99))} in the function; ${ms(p(all, "wall", 0.99))} on the clock`,
          kept: p99 <= BUDGET_MS,
          note:
            `${CALLS} calls each, one after another, so that processor time is what an idle machine's clock shows. At p50 and p99: texts as typed ` +
            `${shown(right)}; with a typing error ${shown(wrong)}; the bare query that completes, sent to the cluster, ` +
            `${shown(completion)}; one that matches everything ${shown(anything)}. OpenSearch 3.6.0; built in ${seconds.toFixed(0)} s. ${load()}`,
          size: COUNT,
        },
      ];
    } finally {
      await cluster.stop();
      await upstreams.stop();
    }
  },
};

/** Returns different texts of two to four words, of which some words are much more frequent than others. */
function plantedTexts(random: () => number): string[] {
  const pick = (from: readonly string[], power = 1) => from[Math.floor(random() ** power * from.length)] ?? "";
  const words = Array.from({ length: WORDS }, () =>
    Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(SYLLABLES)).join(""),
  );
  const texts = new Set<string>();
  while (texts.size < COUNT) {
    texts.add(Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(words, 2)).join(" "));
  }
  return [...texts];
}

/**
 * Returns what reads the milliseconds of processor time that a cluster's own threads have used. Those of the compiler and of
 * garbage collection run beside them.
 */
function threadTimes(pid: number): () => number {
  const folder = `/proc/${pid}/task`;
  const threads = readdirSync(folder).filter((id) =>
    readFileSync(`${folder}/${id}/comm`, "utf8").startsWith("opensearch"),
  );
  if (threads.length === 0) throw new Error(`process ${pid} has no thread of OpenSearch`);
  const nanoseconds = (id: string) => {
    try {
      return Number.parseInt(readFileSync(`${folder}/${id}/schedstat`, "utf8"), 10);
    } catch {
      // It has ended.
      return 0;
    }
  };
  return () => threads.reduce((sum, id) => sum + nanoseconds(id), 0) / 1e6;
}

/** Swaps two letters behind the first of a word, or leaves out one. */
function withError(text: string, random: () => number): string {
  const at = 1 + Math.floor(random() * Math.max(1, text.length - 2));
  const [a = "", b = ""] = [text[at], text[at + 1]];
  if (a === " " || b === " " || text[at - 1] === " ") return text;
  return random() < 0.5 ? `${text.slice(0, at)}${b}${a}${text.slice(at + 2)}` : text.slice(0, at) + text.slice(at + 1);
}
