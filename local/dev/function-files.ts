import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { bundleArchive, bundleFile } from "./bundles.ts";

/** What a function reads at start beside its bundle. */
export const CONFIG_FILE = "config.json";

/** Lays a function's settings beside its unpacked bundle; gives the file of its entry. */
export function withConfiguration(outdir: string, name: string, settings: object): string {
  writeFileSync(join(outdir, name, CONFIG_FILE), JSON.stringify(settings));
  return bundleFile(outdir, name);
}

/** The archive of a function, with its settings when it has some. */
export function archiveOf(outdir: string, name: string, settings?: object): Uint8Array {
  const archive = readFileSync(bundleArchive(outdir, name));
  if (settings === undefined) return archive;
  const files = { ...unzipSync(archive), [CONFIG_FILE]: Buffer.from(JSON.stringify(settings)) };
  // Nobody downloads it: stored as it is, it is ready at once.
  return zipSync(files, { level: 0 });
}
