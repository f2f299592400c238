import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@relevance/lib/platform/json/values.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { readIfThere } from "@relevance/processes/files.ts";
import { logTail } from "@relevance/processes/server.ts";
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
interface RunningNode {
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

/** Known causes of a server's death: the sign in its log, and the advice. */
const CAUSES: readonly { sign: RegExp; advice: (folder: NodeFolder) => string }[] = [
  {
    sign: /UnsatisfiedLinkError.*opensearchknn|opensearchknn_\w+ in java\.library\.path/,
    advice: ({ data }) =>
      "An index has a knn_vector without the lucene engine, whose native library is missing: the first vector " +
      'ends the server, and its data ends it again at every start. Set "engine": "lucene" in the mapping\'s method. ' +
      `Wipe the data: rm -rf '${data}'`,
  },
  {
    sign: /BindException|Address already in use|BindHttpException|BindTransportException/,
    advice: () => "Another program took its port meanwhile: start again, or choose another port.",
  },
  {
    sign: /failed to obtain node lock|LockObtainFailedException/i,
    advice: ({ data }) => `Another server is using ${data}: stop that one first.`,
  },
  {
    sign: /OutOfMemoryError|insufficient memory|Could not reserve enough space/,
    advice: () => "It ran out of memory: give it a larger heap, or end other programs.",
  },
  {
    sign: /cannot downgrade a node|cannot upgrade a node|Could not load codec|index created version|IndexFormatTooNew/i,
    advice: ({ data }) => `Another version of OpenSearch wrote the data. Wipe it: rm -rf '${data}'`,
  },
  {
    sign: /No space left on device/,
    advice: () => "The disk is full.",
  },
];

/** Returns why the server of this folder died: advice if its log shows a known cause, and the end of the log. */
export function diagnose(folder: NodeFolder): string {
  const log = logTail(folder.console, 200);
  const cause = CAUSES.find(({ sign }) => sign.test(log));
  const lines = log.split("\n").slice(-20);
  return [
    ...(cause ? [cause.advice(folder)] : []),
    `The end of its log (${folder.console}):`,
    ...lines.map((line) => `  ${line}`),
  ].join("\n");
}
