import { userInfo } from "node:os";
import { join } from "node:path";
import { judgmentFiles } from "./judgment-files.ts";
import type { Served } from "./loopback.ts";
import { bundlePage } from "./page.ts";
import { createRuns, type RunsOptions } from "./runs.ts";
import { type ConsoleOptions, startConsole } from "./server.ts";

export interface OpenOptions extends Omit<ConsoleOptions, "page" | "judgments" | "runs"> {
  /** Folder of the page's sources. */
  sources: string;
  /** Folder for judgments and the results of runs. */
  files: string;
  /** Folder of the configuration. */
  conf: string;
  command: RunsOptions["command"];
  env: RunsOptions["env"];
}

/** Bundles the page and serves the console. */
export async function openConsole(options: OpenOptions): Promise<Served> {
  const { sources, files, conf, command, env, ...rest } = options;
  const judgments = judgmentFiles(join(files, "judgments"), userInfo().username);
  const runs = createRuns({ folder: join(files, "runs"), judgments, gateway: rest.gateway, conf, command, env });
  return startConsole({ ...rest, page: await bundlePage(sources), judgments, runs });
}
