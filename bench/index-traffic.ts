import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Random, seeded } from "../lib/core/statistics/random.ts";
import { API_KEY } from "../test/fixtures/gateway.ts";
import { direct } from "./gateway-setup.ts";

const DIMENSION = 64;
/** Writes a second, and as many searches. For a short run on a busy machine: `BENCH_DOCUMENTS=10000 BENCH_RATE=10`. */
export const A_SECOND = Number(process.env.BENCH_RATE ?? 50);
/** Every fifth write bypasses the gateway. */
const ROUND = 5;
const DELETES = 0.2;
/** Requests in progress above which none is sent: a machine that is too slow for the rate would only pile them up. */
const MOST_PENDING = 2_000;

/** The body of an index with vectors, with text fields of a given type. */
export const bodyOf = (type: "keyword" | "text") => ({
  mappings: {
    properties: {
      text: { type },
      vector: {
        type: "knn_vector",
        dimension: DIMENSION,
        method: { engine: "lucene", name: "hnsw", parameters: {}, space_type: "cosinesimil" },
      },
    },
  },
  settings: { index: { knn: true, number_of_shards: 2, number_of_replicas: 0 } },
});

const vectorOf = (random: Random) => Array.from({ length: DIMENSION }, () => Number((random() + 0.01).toFixed(4)));

const documentOf = (random: Random): string =>
  JSON.stringify({
    text: `word${Math.floor(random() * 500)} word${Math.floor(random() * 500)}`,
    vector: vectorOf(random),
  });

const hashOf = (json: string) => createHash("sha1").update(json).digest("base64");

/** The content of an index: a hash of each document's source. */
export type Content = Map<string, string>;

/** Creates an index behind an alias and fills it. Returns its content. */
export async function fill(cluster: string, { alias, count }: { alias: string; count: number }): Promise<Content> {
  const random = seeded(1);
  const content: Content = new Map();
  await direct(cluster, "PUT", `/${alias}-first`, JSON.stringify({ ...bodyOf("keyword"), aliases: { [alias]: {} } }));
  for (let from = 0; from < count; from += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => {
      const doc = documentOf(random);
      content.set(`d${from + index}`, hashOf(doc));
      return `{"index":{"_id":"d${from + index}"}}\n${doc}\n`;
    });
    await direct(cluster, "POST", `/${alias}/_bulk`, lines.join(""), "application/x-ndjson");
  }
  await direct(cluster, "POST", `/${alias}/_refresh`);
  return content;
}

/** Milliseconds that requests took. */
export interface Times {
  /** Through the gateway. */
  writes: number[];
  searches: number[];
}

/** Writes to an alias and searches it at a steady rate: through the gateway, and some writes round it. */
export function startTraffic(
  { gateway, cluster }: { gateway: string; cluster: string },
  { alias, count, content }: { alias: string; count: number; content: Content },
) {
  const random = seeded(2);
  const acknowledged = new Map<string, number>();
  const failures: string[] = [];
  const pending = new Set<Promise<void>>();
  const busy = new Set<string>();
  let times: Times = { writes: [], searches: [] };

  const post = async (path: string, body: string) => {
    const headers = { "content-type": "application/json", "x-api-key": API_KEY };
    const answer = await fetch(`${gateway}${path}`, { method: "POST", headers, body });
    const text = await answer.text();
    if (answer.status !== 200 || text.includes('"errors":true')) throw new Error(`${answer.status} ${text}`);
  };

  /** The cluster refuses writes for the seconds of the switch; writers that bypass the gateway retry. */
  const writeRound = async (id: string, doc: string | undefined): Promise<void> => {
    for (;;) {
      try {
        await direct(cluster, doc === undefined ? "DELETE" : "PUT", `/${alias}/_doc/${id}`, doc);
        return;
      } catch (error) {
        const text = String(error);
        if (doc === undefined && text.includes('"result":"not_found"')) return;
        if (!text.includes("cluster_block_exception")) throw error;
        await sleep(20);
      }
    }
  };

  const write = async (isRound: boolean) => {
    const id = `d${Math.floor(random() * count * 1.05)}`;
    // Writes to one document follow one another, so that it is known what it must hold.
    if (busy.has(id)) return;
    busy.add(id);
    const doc = random() < DELETES ? undefined : documentOf(random);
    const started = performance.now();
    try {
      if (isRound) await writeRound(id, doc);
      else {
        const operation = doc === undefined ? { id, op: "delete" } : { id, op: "index", doc: JSON.parse(doc) };
        await post("/application/bulk", JSON.stringify({ index: alias, bulk_request: [operation] }));
        times.writes.push(performance.now() - started);
      }
      acknowledged.set(id, Date.now());
      if (doc === undefined) content.delete(id);
      else content.set(id, hashOf(doc));
    } catch (error) {
      failures.push(`write of ${id}: ${String(error).slice(0, 300)}`);
    }
    busy.delete(id);
  };

  const search = async () => {
    const query = { knn: { vector: { vector: vectorOf(random), k: 10 } } };
    const body = JSON.stringify({ index: alias, search_request: { size: 10, query, _source: false } });
    const started = performance.now();
    try {
      await post("/application/search", body);
    } catch (error) {
      failures.push(`search: ${String(error).slice(0, 300)}`);
    }
    times.searches.push(performance.now() - started);
  };

  const track = (work: Promise<void>) => {
    pending.add(work);
    work.finally(() => pending.delete(work));
  };
  const began = performance.now();
  let due = 0;
  let left = 0;
  const ticking = setInterval(() => {
    // A late timer sends what it owes, so that the rate is kept.
    for (; due < ((performance.now() - began) * A_SECOND) / 1_000; due += 1) {
      if (pending.size > MOST_PENDING) {
        left += 2;
        continue;
      }
      track(write(due % ROUND === 0));
      track(search());
    }
  }, 1_000 / A_SECOND);
  return {
    failures,
    /** Returns how many requests were not sent, because the machine is too slow. */
    left: () => left,
    /** Returns the ids that were written since a time. */
    writtenSince: (time: number): Set<string> =>
      new Set([...acknowledged].flatMap(([id, at]) => (at >= time ? [id] : []))),
    /** Returns the times since the last call. */
    take(): Times {
      const taken = times;
      times = { writes: [], searches: [] };
      return taken;
    },
    async stop() {
      clearInterval(ticking);
      await Promise.all(pending);
    },
  };
}

/** Reads the content of an index. */
export async function contentOf(cluster: string, index: string): Promise<Content> {
  await direct(cluster, "POST", `/${index}/_refresh`);
  const content: Content = new Map();
  interface Page {
    _scroll_id: string;
    hits: { hits: Array<{ _id: string; _source: object }> };
  }
  const body = JSON.stringify({ size: 2_000, sort: ["_doc"] });
  let page = (await direct(cluster, "POST", `/${index}/_search?scroll=5m`, body)) as Page;
  while (page.hits.hits.length > 0) {
    for (const { _id, _source } of page.hits.hits) content.set(_id, hashOf(JSON.stringify(_source)));
    const next = JSON.stringify({ scroll: "5m", scroll_id: page._scroll_id });
    page = (await direct(cluster, "POST", "/_search/scroll", next)) as Page;
  }
  return content;
}

/** Returns how many documents only one of two indexes has, or has with another content. */
export function differences(one: Content, other: Content, except: ReadonlySet<string> = new Set()): number {
  const ids = new Set([...one.keys(), ...other.keys()]);
  return [...ids].filter((id) => !except.has(id) && one.get(id) !== other.get(id)).length;
}
