import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildOptions } from "esbuild";
import { type Served, serveOnLoopback } from "./loopback.ts";

/** A file that the server serves. */
interface PageFile {
  type: string;
  body: string;
}

/** The page's files by their path. */
export type Page = ReadonlyMap<string, PageFile>;

/** The files of a page in its folder: the script, the style, and `index.html`, which names both as `<name>.js` and `.css`. */
export interface Sources {
  folder: string;
  name: string;
  script: string;
  style: string;
}

/** Bundles a page from its sources. The bundle needs no other host. Throws esbuild's error. */
export async function bundle({ folder, name, script, style }: Sources, options: BuildOptions = {}): Promise<Page> {
  // Loaded only here: few commands need it.
  const { build } = await import("esbuild");
  const { outputFiles = [] } = await build({
    entryPoints: [join(folder, script)],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2022",
    logLevel: "silent",
    ...options,
  });
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  return new Map([
    ["/", { type: "text/html; charset=utf-8", body: read("index.html") }],
    [`/${name}.js`, { type: "text/javascript; charset=utf-8", body: outputFiles[0]?.text ?? "" }],
    [`/${name}.css`, { type: "text/css; charset=utf-8", body: read(style) }],
  ]);
}

/**
 * Returns the headers of every answer. The page loads and calls nothing but this server and the given addresses;
 * `pictures` are other origins of pictures.
 */
export function securityHeaders(called: readonly string[] = [], pictures = ""): Readonly<Record<string, string>> {
  return {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src 'self' data: ${pictures}`.trim(),
      ["connect-src 'self'", ...called].join(" "),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
  };
}

/** Serves a page on the loopback interface that calls the given addresses. Without a port, a free one is used. */
export function servePage(page: Page, called: readonly string[], port?: number, pictures = ""): Promise<Served> {
  const headers = securityHeaders(called, pictures);
  return serveOnLoopback(async ({ url = "/" }, response) => {
    const { type, body } = page.get(new URL(url, "http://localhost").pathname) ?? {
      type: "text/plain",
      body: undefined,
    };
    response.writeHead(body === undefined ? 404 : 200, { ...headers, "content-type": type });
    response.end(body ?? "There is no such file.");
  }, port);
}
