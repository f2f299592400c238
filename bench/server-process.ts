import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { NODE_OPTIONS } from "../functions/api-router/env.ts";
import type { GatewaySettings } from "../lib/search/gateway/settings.ts";
import { API_KEY } from "../test/fixtures/gateway.ts";
import { buildGateway } from "./gateway-setup.ts";

/** The memory options of the deployed function. */
const NODE_FLAGS = NODE_OPTIONS.split(" ");

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

/** Starts the gateway behind the local API server in its own process, to measure it apart from the load. */
export async function startServerProcess(
  node: string,
  settings: Partial<GatewaySettings> = {},
): Promise<ServerProcess> {
  const file = join(await buildGateway(settings), "index.mjs");
  const args = [...NODE_FLAGS, join(import.meta.dirname, "http-server.ts"), node, file, API_KEY];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
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
