import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_FOLDER } from "@relevance/lib/platform/folders.ts";
import { UNLIMITED } from "@relevance/lib/platform/http/access.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { LOCAL_KEY } from "./api-key.ts";

export interface BundleOptions {
  /** Output folder for a folder and an archive of each function. */
  outdir: string;
  conf: string;
  /** Folder of the sparse model's files. */
  modelFiles: string;
  /** Default: all that the configuration deploys. */
  functions?: readonly string[];
}

/**
 * Builds the same functions that are deployed, with the settings of the local configuration. Runs in its own process,
 * in parallel with the start of the servers, so nothing local depends on the build's code. Throws LocalError with the
 * build's messages.
 */
export async function buildBundles({ outdir, conf, modelFiles, functions = [] }: BundleOptions): Promise<void> {
  const child = spawn(
    process.execPath,
    [
      join(PACKAGE_FOLDER, "build/main.ts"),
      ...functions,
      "--out",
      outdir,
      "--conf",
      conf,
      "--models",
      modelFiles,
      "--local",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const complaints: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new LocalError(`the functions could not be built:\n${Buffer.concat(complaints).toString()}`);
  for (const name of ["api-router", "search-events", "recommendation-api"])
    addLocalKey(join(outdir, name, "config.json"));
}

/**
 * Makes a function accept API keys, regardless of `authorization` in api.yaml. The local stack's own key is
 * unrestricted; `keys` keep their rules.
 */
function addLocalKey(file: string): void {
  if (!existsSync(file)) return;
  const { authorization: _, ...settings } = JSON.parse(readFileSync(file, "utf8"));
  const keys = settings.keys && [...settings.keys, { ...UNLIMITED, name: LOCAL_KEY }];
  writeFileSync(file, JSON.stringify({ ...settings, keys }));
}

/** Returns the path of a built function's entry file. */
export const bundleFile = (outdir: string, name: string) => join(outdir, name, "index.mjs");

/** Returns the path of a built function's archive. */
export const bundleArchive = (outdir: string, name: string) => join(outdir, `${name}.zip`);
