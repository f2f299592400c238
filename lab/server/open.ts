import { userInfo } from "node:os";
import { join } from "node:path";
import { judgmentFiles } from "./judgment-files.ts";
import { logReports } from "./log-reports.ts";
import type { Served } from "./loopback.ts";
import type { MerchandiseOptions } from "./merchandise.ts";
import { bundle, type Page } from "./page.ts";
import { reportReader } from "./reported.ts";
import { createRuns, type RunsOptions } from "./runs.ts";
import { searchesReader } from "./searched.ts";
import { type ConsoleOptions, startConsole } from "./server.ts";
import { judgingTasks } from "./tasks.ts";

export interface OpenOptions
  extends Omit<
    ConsoleOptions,
    "page" | "judgments" | "tasks" | "reports" | "runs" | "searches" | "recommendationReport" | "merchandise"
  > {
  /** Folder of the page's sources. */
  sources: string;
  /** Folder for judgments and the results of runs. */
  files: string;
  /** Folder of the configuration. */
  conf: string;
  command: RunsOptions["command"];
  env: RunsOptions["env"];
  /** How commands find the account in which rules and synonyms are changed, if the page may change them. */
  account?: Pick<MerchandiseOptions, "account" | "env">;
}

/** Bundles the page and serves the console. */
export async function openConsole(options: OpenOptions): Promise<Served> {
  const { sources, files, conf, command, env, account, ...rest } = options;
  const judgments = judgmentFiles(join(files, "judgments"), userInfo().username);
  const tasks = judgingTasks(join(files, "tasks"));
  const runs = createRuns({ folder: join(files, "runs"), judgments, gateway: rest.gateway, conf, command, env });
  const log = { command, conf, env, local: rest.setup.local };
  const searches = searchesReader(log);
  const reports = logReports({ ...log, judgments });
  const recommendationReport = reportReader(log);
  const merchandise = account && { conf, command, ...account };
  return startConsole({
    ...{ ...rest, page: await bundlePage(sources), judgments, tasks, runs, searches, reports, recommendationReport },
    ...(merchandise && { merchandise }),
  });
}

/** Bundles the console from its sources in `folder`. Throws esbuild's error. */
export const bundlePage = (folder: string): Promise<Page> =>
  bundle(
    { folder, name: "console", script: "main.tsx", style: "style.css" },
    { jsx: "automatic", jsxImportSource: "preact" },
  );
