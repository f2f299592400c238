import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { KEY_VARIABLE } from "../cli/api-key.ts";
import { findJdks } from "../local/opensearch/java.ts";
import type { OpenSearchServer } from "../local/opensearch/start.ts";
import { jdkFor } from "../local/opensearch/versions.ts";
import { ROOT } from "../test/fixtures/env.ts";
import { API_KEY } from "../test/fixtures/gateway.ts";
import { direct, FOLDER } from "./gateway-setup.ts";

/** One process of `relevance index`. */
export interface ToolProcess {
  /** The id of its run, when it has printed that. */
  id: Promise<string>;
  ended: Promise<{ code: number; out: string; err: string }>;
  kill(): void;
  /** Bytes resident, sampled every half second. */
  rss: number[];
}

/** Writes the configuration for the tool. `index` is the one with embedding fields. */
export function writeConf(index?: string): string {
  const conf = join(FOLDER, "conf");
  mkdirSync(conf, { recursive: true });
  const entries = `
  - index: ${index}
    embedding_mappings:
      - {embedding_field: text_dense, model_name: dense_large_en_v1_5, src_fields: [text]}
      - {embedding_field: text_sparse, model_name: sparse_v3, src_fields: [text]}`;
  writeFileSync(join(conf, "hybrid_search.yaml"), `hybrid_queries: ${index === undefined ? "[]" : entries}\n`);
  writeFileSync(
    join(conf, "model.yaml"),
    "dense_large_en_v1_5: {endpoint_name: dense}\nsparse_v3: {endpoint_name: sparse}\n",
  );
  return conf;
}

/** Starts `relevance index` as a user does, against a gateway. */
export function startTool(conf: string, url: string, ...args: string[]): ToolProcess {
  const command = ["cli/main.ts", "index", ...args, "--conf", conf, "--api-host", url];
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, [KEY_VARIABLE]: API_KEY },
  });
  const id = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<{ code: number; out: string; err: string }>();
  let [out, err] = ["", ""];
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    err = `${err}${data}`.slice(-20_000);
    const found = /Run (\S+) /.exec(err);
    if (found) id.resolve(found[1] ?? "");
  });
  // A tool that resumes a run is not asked for its id.
  id.promise.catch(() => {});
  const rss: number[] = [];
  const sampling = setInterval(() => {
    try {
      rss.push(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) * 1024);
    } catch {
      // It has just ended.
    }
  }, 500);
  child.on("close", (code) => {
    clearInterval(sampling);
    id.reject(new Error(`the tool ended before it began a run: ${err}`));
    ended.resolve({ code: code ?? 1, out, err });
  });
  return { id: id.promise, ended: ended.promise, kill: () => child.kill("SIGKILL"), rss };
}

/** Waits for a tool's end. Throws if it failed. */
export async function succeeded({ ended }: ToolProcess): Promise<string> {
  const { code, out, err } = await ended;
  if (code !== 0) throw new Error(`the tool failed: ${err.slice(-1_000)}`);
  return out;
}

/** Returns how many writes the shards of an index have executed. */
export async function writesTo(url: string, index: string): Promise<number> {
  const { indices } = (await direct(url, "GET", `/${index}/_stats?level=shards`)) as {
    indices: Record<string, { shards: Record<string, Array<{ seq_no: { max_seq_no: number } }>> }>;
  };
  const shards = Object.values(indices).flatMap((one) => Object.values(one.shards));
  return shards.reduce((sum, [primary]) => sum + (primary?.seq_no.max_seq_no ?? -1) + 1, 0);
}

/** Returns the documents of an index, and how many writes its shards have executed. */
export async function contents(url: string, index: string): Promise<{ writes: number; documents: number }> {
  await direct(url, "POST", `/${index}/_refresh`);
  const { count } = (await direct(url, "GET", `/${index}/_count`)) as { count: number };
  return { writes: await writesTo(url, index), documents: count };
}

/** Returns the bytes of the node's heap that a full collection leaves. */
export async function heapInUse({ url, pid, version }: OpenSearchServer): Promise<number> {
  const jcmd = join(jdkFor(version, findJdks()).home, "bin", "jcmd");
  execFileSync(jcmd, [String(pid), "GC.run"], { stdio: "ignore" });
  const { nodes } = (await direct(url, "GET", "/_nodes/stats/jvm")) as {
    nodes: Record<string, { jvm: { mem: { heap_used_in_bytes: number } } }>;
  };
  return Math.max(...Object.values(nodes).map(({ jvm }) => jvm.mem.heap_used_in_bytes));
}

/** Watches how many bytes of field data the node has, from one reading a second. */
export function watchFieldData(url: string) {
  let most = 0;
  const reading = setInterval(async () => {
    const { nodes } = (await direct(url, "GET", "/_nodes/stats/indices/fielddata")) as {
      nodes: Record<string, { indices: { fielddata: { memory_size_in_bytes: number } } }>;
    };
    most = Math.max(most, ...Object.values(nodes).map(({ indices }) => indices.fielddata.memory_size_in_bytes));
  }, 1_000);
  return {
    /** Returns the most so far. */
    most: () => most,
    stop: () => {
      clearInterval(reading);
      return most;
    },
  };
}

/** Starts a proxy before a gateway that answers each `every`th call with 429, as a busy node makes it. */
export async function throttlingProxy(gateway: string, every: number) {
  let calls = 0;
  let throttled = 0;
  const server = createServer(async (call, answer) => {
    const body = await buffer(call);
    calls += 1;
    if (calls % every === 0) {
      throttled += 1;
      answer.writeHead(429, { "content-type": "application/json" }).end('{"error":{"type":"rejected"},"status":429}');
      return;
    }
    const { "content-type": type = "application/json", "x-api-key": key = "" } = call.headers;
    try {
      const passed = await fetch(`${gateway}${call.url}`, {
        method: call.method ?? "GET",
        headers: { "content-type": type, "x-api-key": String(key) },
        ...(body.length > 0 && { body }),
      });
      const bytes = Buffer.from(await passed.arrayBuffer());
      answer.writeHead(passed.status, { "content-type": passed.headers.get("content-type") ?? "" }).end(bytes);
    } catch {
      // The gateway is too busy to take the connection; the tool tries again.
      answer.writeHead(503).end();
    }
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    throttled: () => throttled,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
