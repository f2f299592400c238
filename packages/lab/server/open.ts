import { userInfo } from "node:os";
import { join } from "node:path";
import type { LogSource } from "../stored-log/stored-log.ts";
import { judgmentFiles } from "./judgment-files.ts";
import { type LogReports, logReports } from "./log-reports.ts";
import type { Served } from "./loopback.ts";
import type { MerchandiseOptions } from "./merchandise.ts";
import { bundle, type Page } from "./page.ts";
import { createRuns, type RunsOptions } from "./runs.ts";
import { type ConsoleOptions, startConsole } from "./server.ts";
import { consoleTemplates } from "./setup.ts";
import { judgingTasks } from "./tasks.ts";

export interface OpenOptions
  extends Omit<ConsoleOptions, "page" | "judgments" | "tasks" | "reports" | "runs" | "merchandise" | "templates">,
    Pick<RunsOptions, "work"> {
  /** Folder of the page's sources. */
  sources: string;
  /** Folder for judgments and the results of runs. */
  files: string;
  /** Folder of the configuration. */
  conf: string;
  /** Where the stored log is. */
  log: LogSource["from"];
  /** Reports in place of those of the log. */
  reports?: Partial<LogReports>;
  /** The account in which rules and synonyms are changed, if the page may change them. */
  account?: Omit<MerchandiseOptions, "conf">;
}

/** Bundles the page and serves the console. */
export async function openConsole(options: OpenOptions): Promise<Served> {
  const { sources, files, conf, log, account, work, reports, ...rest } = options;
  const judgments = judgmentFiles(join(files, "judgments"), userInfo().username);
  const { gateway } = rest;
  return startConsole({
    ...{ ...rest, page: await bundlePage(sources), judgments },
    templates: consoleTemplates(conf),
    tasks: judgingTasks(join(files, "tasks")),
    runs: createRuns({ folder: join(files, "runs"), judgments, gateway, conf, ...(work && { work }) }),
    reports: { ...logReports({ log, conf, judgments }), ...reports },
    ...(account && { merchandise: { conf, ...account } }),
  });
}

/** Bundles the console from its sources in `folder`. Throws esbuild's error. */
export const bundlePage = (folder: string): Promise<Page> =>
  bundle(
    { folder, name: "console", script: "main.tsx", style: "style.css" },
    { jsx: "automatic", jsxImportSource: "preact" },
  );
