import { relative } from "node:path";
import { type BuildFailure, build, formatMessages, type Metafile, type OutputFile } from "esbuild";
import { BuildError } from "./error.ts";
import { nodeHttp } from "./node-http.ts";
import { sqlTexts } from "./sql-texts.ts";

/**
 * CommonJS packages call `require` for Node's own modules, which ES modules do not have. Every file gets the banner,
 * since esbuild decides which chunk contains such a package.
 */
const REQUIRE =
  'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);';

/** Start of the names of DuckDB's native packages, one for each platform. Bundles do not contain them. */
export const BINDINGS = "@duckdb/node-bindings";

/** One bundled function: the files for the zip, and the source maps, which the zip does not contain. */
export interface Bundle {
  files: ReadonlyMap<string, Uint8Array>;
  maps: ReadonlyMap<string, Uint8Array>;
  metafile: Metafile;
}

/**
 * Bundles one entry for Lambda's Node 22: `index.mjs`, and a chunk for each dynamic import, so that a family of
 * handlers costs nothing until it is used. The same sources give the same bytes. Throws BuildError.
 */
export async function bundle(entry: string, root: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { index: entry },
    outdir: "out",
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    // Prefers the ES modules of packages that contain both kinds, since only those are tree-shaken.
    mainFields: ["module", "main"],
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunks/[name]-[hash]",
    banner: { js: REQUIRE },
    minify: true,
    legalComments: "none",
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
    loader: { ".sql": "text" },
    plugins: [nodeHttp, sqlTexts],
    // Native code, which the archive has beside the bundle.
    external: [`${BINDINGS}-*`],
    logLevel: "silent",
  }).catch(async (error: unknown) => {
    throw await readable(error, entry);
  });
  return { ...sort(outputFiles, `${root}/out`), metafile };
}

function sort(outputs: readonly OutputFile[], outdir: string): Pick<Bundle, "files" | "maps"> {
  const files = new Map<string, Uint8Array>();
  const maps = new Map<string, Uint8Array>();
  for (const { path, contents } of outputs) {
    (path.endsWith(".map") ? maps : files).set(relative(outdir, path), contents);
  }
  return { files, maps };
}

async function readable(error: unknown, entry: string): Promise<unknown> {
  const { errors } = error as Partial<BuildFailure>;
  if (!errors) return error;
  const messages = await formatMessages(errors, { kind: "error", color: false });
  return new BuildError(`${entry} could not be bundled\n\n${messages.join("").trimEnd()}`, { cause: error });
}
