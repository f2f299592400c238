import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { LocalError } from "../process/error.ts";

const ROOT = resolve(import.meta.dirname, "../..");

export interface BundleOptions {
  /** Output folder for a folder and an archive of each function. */
  outdir: string;
  conf: string;
  /** Folder of the sparse model's files. */
  modelFiles: string;
}

/**
 * Builds the same functions that are deployed, with the settings of the local configuration. Runs in its own process,
 * in parallel with the start of the servers, so nothing local depends on the build's code. Throws LocalError with the
 * build's messages.
 */
export async function buildBundles({ outdir, conf, modelFiles }: BundleOptions): Promise<void> {
  const child = spawn(
    process.execPath,
    [join(ROOT, "build/main.ts"), "--out", outdir, "--conf", conf, "--models", modelFiles],
    { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"] },
  );
  const complaints: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new LocalError(`the functions could not be built:\n${Buffer.concat(complaints).toString()}`);
  for (const name of ["api-router", "recommendation-api"]) removeKeys(join(outdir, name, "config.json"));
}

/** Removes the rules of `keys`, which name keys of API Gateway: the one key of the local stack may do everything. */
function removeKeys(file: string): void {
  if (!existsSync(file)) return;
  const { keys: _, ...settings } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify(settings));
}

/** Returns the path of a built function's entry file. */
export const bundleFile = (outdir: string, name: string) => join(outdir, name, "index.mjs");

/** Returns the path of a built function's archive. */
export const bundleArchive = (outdir: string, name: string) => join(outdir, `${name}.zip`);
