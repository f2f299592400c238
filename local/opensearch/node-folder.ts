import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../lib/core/json/values.ts";
import { LocalError } from "../process/error.ts";
import { readIfThere } from "../process/files.ts";
import type { OpenSearchVersion } from "./versions.ts";

/** The files of one node: everything that the running server writes. */
export interface NodeFolder {
  dir: string;
  data: string;
  logs: string;
  conf: string;
  tmp: string;
  console: string;
}

/** Returns the paths of the node in `dir` without creating anything. */
export function nodeFolder(dir: string): NodeFolder {
  const logs = join(dir, "logs");
  return {
    dir,
    data: join(dir, "data"),
    logs,
    conf: join(dir, "conf"),
    tmp: join(dir, "tmp"),
    console: join(logs, "console.log"),
  };
}

/** A server that runs on a node folder, as recorded at its start. */
export interface RunningNode {
  pid: number;
  url: string;
  version: OpenSearchVersion;
}

const recordFile = (folder: NodeFolder) => join(folder.dir, "node.json");

/** Records which server runs on this folder, for {@link runningNode}. */
export function recordNode(folder: NodeFolder, node: RunningNode): void {
  writeFileSync(recordFile(folder), `${JSON.stringify(node)}\n`);
}

/** Removes the record of the running server. */
export function forgetNode(folder: NodeFolder): void {
  rmSync(recordFile(folder), { force: true });
}

/**
 * Returns the server that runs on the node folder `dir`, or undefined if there is none. Ignores a record that a crash
 * left behind: its PID may now belong to another program, so the process must have this folder in its command line.
 */
export function runningNode(dir: string): RunningNode | undefined {
  const folder = nodeFolder(dir);
  // A start that was killed can leave an incomplete record, which is ignored.
  const node = parseJson(readIfThere(recordFile(folder)) ?? "") as RunningNode | undefined;
  if (node === undefined || !commandLine(node.pid).includes(pathConf(folder))) return undefined;
  return node;
}

/** The argument that the launcher adds to the server's command line. */
const pathConf = (folder: NodeFolder) => `-Dopensearch.path.conf=${folder.conf} `;

function commandLine(pid: number): string {
  const proc = `/proc/${pid}/cmdline`;
  if (existsSync("/proc/self/cmdline")) return readIfThere(proc)?.replaceAll("\0", " ") ?? "";
  return spawnSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" }).stdout ?? "";
}

const versionFile = (folder: NodeFolder) => join(folder.dir, "data-version");

/**
 * Marks the data as written by this version. Throws LocalError if another version wrote it, because a newer server
 * would convert it irreversibly and an older one cannot read it.
 */
export function claimData(folder: NodeFolder, version: OpenSearchVersion): void {
  const owner = readIfThere(versionFile(folder))?.trim();
  if (owner !== undefined && owner !== version && existsSync(folder.data)) {
    throw new LocalError(
      `the data in ${folder.data} is OpenSearch ${owner}'s, and this is ${version}: ` +
        `start ${owner} (OPENSEARCH_VERSION=${owner}), or wipe it: rm -rf '${folder.data}'`,
    );
  }
  writeFileSync(versionFile(folder), `${version}\n`);
}
