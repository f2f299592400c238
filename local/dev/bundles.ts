import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import type { ModelName } from "../../lib/config/embedding-models.ts";
import { LocalError } from "../process/error.ts";

const ROOT = resolve(import.meta.dirname, "../..");

export interface BundleOptions {
  /** Gets a folder and an archive for each function. */
  outdir: string;
  conf: string;
  /** Folder of the sparse model's files. */
  modelFiles: string;
  /** Dimensions of dense models that are not the models' own. */
  dimensions: Readonly<Partial<Record<ModelName, number>>>;
}

/**
 * Builds the functions that are deployed, with the settings of the local configuration. In a process of its own: it
 * runs while the servers come up, and nothing local depends on the build's code. Throws LocalError with its messages.
 */
export async function buildBundles({ outdir, conf, modelFiles, dimensions }: BundleOptions): Promise<void> {
  const child = spawn(
    process.execPath,
    [
      join(ROOT, "build/main.ts"),
      ...["--out", outdir, "--conf", conf, "--models", modelFiles],
      ...Object.entries(dimensions).flatMap(([model, dimension]) => ["--dimension", `${model}=${dimension}`]),
    ],
    { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"] },
  );
  const complaints: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new LocalError(`the functions could not be built:\n${Buffer.concat(complaints).toString()}`);
}

/** The entry of a built function. */
export const bundleFile = (outdir: string, name: string) => join(outdir, name, "index.mjs");

/** The archive of a built function. */
export const bundleArchive = (outdir: string, name: string) => join(outdir, `${name}.zip`);
