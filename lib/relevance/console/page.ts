import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A file that the server serves. */
export interface PageFile {
  type: string;
  body: string;
}

/** The page's files by their path. */
export type Page = ReadonlyMap<string, PageFile>;

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
