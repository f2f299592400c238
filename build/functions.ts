import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Metafile } from "esbuild";
import { PACKAGE_FOLDER, workFolder } from "../lib/platform/folders.ts";
import { zip } from "./archive.ts";
import { bundle } from "./bundle.ts";
import { cachedBundle } from "./bundle-cache.ts";
import { componentsOf, licenseTexts } from "./components.ts";
import { BuildError } from "./error.ts";
import { writeWhole } from "./write-whole.ts";

export interface BuildOptions {
  /** Output folder for `<name>/` and `<name>.zip`: `dist/functions`. Source maps go to `<outdir>/../maps/<name>/`. */
  outdir: string;
  /** Names of the functions. Default: all. */
  functions?: readonly string[];
  /** Extra files of the bundles, by function and file name: settings, model files. */
  files?: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>;
  /** The folder that contains `functions/`; tests replace it. */
  root?: string;
}

export interface BuiltFunction {
  /** The unpacked bundle; its entry is `index.mjs`. */
  dir: string;
  /** The archive for Lambda, where the handler's name is `index.handler`. */
  zip: string;
  metafile: Metafile;
  /** SHA-256 of the archive in base64: Lambda's `CodeSha256`, Terraform's `source_code_hash`. */
  sha256: string;
}

/** The licences of the packages in a bundle, in its archive. */
export const LICENSES = "LICENSES.txt";

/** The functions that share the folder of another: the same code, deployed a second time. */
const SHARED_FOLDERS: Readonly<Record<string, string>> = { "recommendation-log-handler": "log-handler" };

/** Returns the names of all functions, sorted: the folders of `functions/` with an `index.ts`, and those that share one. */
export function functionNames(root: string = PACKAGE_FOLDER): string[] {
  const folders = globSync("functions/*/index.ts", { cwd: root }).map((path) => basename(dirname(path)));
  const sharing = Object.entries(SHARED_FOLDERS).flatMap(([name, folder]) => (folders.includes(folder) ? [name] : []));
  return [...folders, ...sharing].sort();
}

/**
 * Bundles functions into folders and archives. The same sources and files give the same bytes. Replaces each folder and
 * archive as a whole, so that no process reads a partial one. Throws BuildError for an unknown function, or with
 * esbuild's messages.
 */
export async function buildFunctions(options: BuildOptions): Promise<Record<string, BuiltFunction>> {
  const { root = PACKAGE_FOLDER, files = {} } = options;
  const known = functionNames(root);
  const names = options.functions ?? known;
  const unknown = [...names, ...Object.keys(files)].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new BuildError(
      `there is no function "${unknown}" in functions/: choose one of ${known.join(", ") || "none"}`,
    );
  }
  const built = await Promise.all(
    names.map(
      async (name) => [name, await buildFunction(name, { ...options, root, extra: files[name] ?? {} })] as const,
    ),
  );
  return Object.fromEntries(built);
}

type OneFunction = BuildOptions & { root: string; extra: Readonly<Record<string, string | Uint8Array>> };

async function buildFunction(name: string, options: OneFunction): Promise<BuiltFunction> {
  const { root } = options;
  const cache = join(workFolder(root), "dist/bundles");
  const folder = SHARED_FOLDERS[name] ?? name;
  const bundled = await cachedBundle({ root, name: folder, cache }, () => bundle(`functions/${folder}/index.ts`, root));
  const own: Array<[string, Uint8Array]> = [
    ["package.json", encode('{"type":"module"}\n')],
    [LICENSES, encode(licenseTexts(componentsOf(bundled.metafile, root), root))],
  ];
  const files = new Map([...bundled.files, ...own]);
  for (const [file, content] of Object.entries(options.extra)) {
    if (files.has(file))
      throw new BuildError(`functions/${name}: the extra file "${file}" would replace a bundled one`);
    files.set(file, encode(content));
  }

  const archive = await zip(files, cache);
  const target = { dir: join(options.outdir, name), zip: join(options.outdir, `${name}.zip`) };
  await replaceFolder(target.dir, files);
  await replaceFolder(join(dirname(options.outdir), "maps", name), bundled.maps);
  await writeWhole(target.zip, archive);
  return {
    ...target,
    metafile: bundled.metafile,
    sha256: createHash("sha256").update(archive).digest("base64"),
  };
}

const encode = (content: string | Uint8Array) => (typeof content === "string" ? Buffer.from(content) : content);

async function replaceFolder(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const fresh = `${folder}.new-${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  for (const [name, content] of files) {
    await mkdir(dirname(join(fresh, name)), { recursive: true });
    await writeFile(join(fresh, name), content);
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  await rename(fresh, folder);
}
