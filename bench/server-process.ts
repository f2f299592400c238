import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { bundle } from "../build/bundle.ts";
import { MEMORY_OPTIONS } from "../functions/api-router/env.ts";
import type { GatewaySettings } from "../lib/search/gateway/settings.ts";
import { ROOT } from "../test/fixtures/env.ts";
import { API_KEY } from "../test/fixtures/gateway.ts";
import { buildGateway, FOLDER } from "./gateway-setup.ts";

/** Resources that a process has used so far. */
export interface Usage {
  /** Milliseconds of processor time. */
  cpuMs: number;
  /** Bytes resident. */
  rss: number;
}

export interface ServerProcess {
  url: string;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/**
 * Starts the gateway behind the local API server in its own process, to measure it apart from the load. It has the memory
 * options of the deployed function.
 */
export async function startServerProcess(
  node: string,
  settings: Partial<GatewaySettings> = {},
): Promise<ServerProcess> {
  const file = join(await buildGateway(settings), "index.mjs");
  const child = spawn(process.execPath, [await buildServer(), node, file, API_KEY], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...MEMORY_OPTIONS },
  });
  child.setMaxListeners(0);
  const waiting: Array<(line: string) => void> = [];
  // The function also prints metric lines on standard output.
  createInterface(child.stdout).on("line", (line) => {
    if (!line.startsWith('{"_aws"') && !line.startsWith('{"type"') && !line.startsWith('{"level"'))
      waiting.shift()?.(line);
  });
  const nextLine = () =>
    new Promise<string>((resolve, reject) => {
      waiting.push(resolve);
      child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
  const url = await nextLine();
  return {
    url,
    async usage() {
      const line = nextLine();
      child.stdin.write("\n");
      return JSON.parse(await line) as Usage;
    },
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners("exit").once("exit", () => resolve());
        child.stdin.end();
      }),
  };
}

/**
 * Bundles the local API server and returns its file. Node would strip the types of its sources in the same process, and
 * the compiler for that takes 48 MiB, which no deployed function has.
 */
async function buildServer(): Promise<string> {
  const folder = join(FOLDER, "http-server");
  const { files } = await bundle("bench/http-server.ts", ROOT);
  for (const [name, content] of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  return join(folder, "index.mjs");
}
