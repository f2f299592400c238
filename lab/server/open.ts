import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { judgmentFiles } from "./judgment-files.ts";
import type { Served } from "./loopback.ts";
import { createRuns, type RunsOptions } from "./runs.ts";
import { type ConsoleOptions, type Page, startConsole } from "./server.ts";

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

/** Bundles the page from its sources in `folder`. The bundle needs no other host. Throws esbuild's error. */
export async function bundlePage(folder: string): Promise<Page> {
  // Loaded only here: few commands need it.
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [join(folder, "main.tsx")],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "silent",
  });
  const script = outputFiles[0]?.text ?? "";
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  return new Map([
    ["/", { type: "text/html; charset=utf-8", body: read("index.html") }],
    ["/console.js", { type: "text/javascript; charset=utf-8", body: script }],
    ["/console.css", { type: "text/css; charset=utf-8", body: read("style.css") }],
  ]);
}
