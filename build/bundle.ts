import { readFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { type BuildFailure, build, formatMessages, type Metafile, type OutputFile, type Plugin } from "esbuild";
import { BuildError } from "./error.ts";
import { slimClient } from "./slim-client.ts";

/**
 * CommonJS packages call `require` for Node's own modules, which ES modules do not have. Every file gets the banner,
 * since esbuild decides which chunk contains such a package.
 */
export const REQUIRE =
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
    plugins: [nodeHttp, slimClient, environmentCredentials, sqlTexts],
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

/**
 * Takes `node:http` from `process.getBuiltinModule`. An `import` reads every export of a module, and three of this one's
 * load Node's own fetch with HTTP/2 when they are read, a third of the gateway's cold start.
 */
const nodeHttp: Plugin = {
  name: "node-http",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, () => ({ path: "http", namespace: "node-http" }));
    onLoad({ filter: /^http$/, namespace: "node-http" }, () => ({
      contents: 'module.exports = process.getBuiltinModule("node:http");',
    }));
  },
};

/** The SDK's package that reads credentials from variables; a dependency of the default chain. */
const ENVIRONMENT = "@aws-sdk/credential-provider-env";

/**
 * Leaves Lambda's environment variables as the only source of the SDK's credentials. Its default chain would also read
 * files, start processes and call sign-in services, none of which a function has, and brings ten packages for it.
 */
const environmentCredentials: Plugin = {
  name: "environment-credentials",
  setup({ onLoad }) {
    onLoad({ filter: /node_modules\/@aws-sdk\/credential-provider-node\/dist-[^/]+\/index\.js$/ }, ({ path }) => ({
      contents: `export { fromEnv as defaultProvider } from ${JSON.stringify(ENVIRONMENT)};`,
      resolveDir: dirname(path),
    }));
  },
};

const READ = /readFileSync\(new URL\("([^"]+\.sql)", import\.meta\.url\), "utf8"\)/g;

/**
 * Puts the text of SQL files into the bundle, in place of the calls that read them. esbuild then knows the files as
 * sources, on which the stored bundles depend.
 */
const sqlTexts: Plugin = {
  name: "sql-texts",
  setup({ onLoad }) {
    onLoad({ filter: /\/sql\.[jt]s$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const names = [...source.matchAll(READ)].map(([, name]) => name);
      const imports = names.map((name, index) => `import sql${index} from "./${name}";\n`).join("");
      let next = 0;
      const contents = imports + source.replace(READ, () => `sql${next++}`);
      return { contents, loader: "ts", resolveDir: dirname(path) };
    });
  },
};
