import { spawnSync } from "node:child_process";
import { lchownSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalError, MissingTool } from "@relevance/processes/error.ts";
import { HOST } from "@relevance/processes/ports.ts";
import type { NodeFolder } from "./node-folder.ts";

/** The settings of one server. */
export interface NodeSettings {
  home: string;
  folder: NodeFolder;
  port: number;
  transportPort: number;
  heap: string;
  quickStart: boolean;
  extra: Readonly<Record<string, string | number | boolean>>;
}

/** Writes the server's configuration files into the node's `conf`. */
export function writeSettings(settings: NodeSettings): void {
  const { home, folder } = settings;
  writeFileSync(join(folder.conf, "opensearch.yml"), yaml(settings));
  writeFileSync(join(folder.conf, "jvm.options"), jvmOptions(settings));
  const log4j = "log4j2.properties";
  writeFileSync(join(folder.conf, log4j), readFileSync(join(home, "config", log4j)));
}

function yaml({ folder, port, transportPort, extra }: NodeSettings): string {
  const settings = {
    "cluster.name": "local",
    "node.name": "n1",
    "network.host": HOST,
    "http.port": port,
    "transport.port": transportPort,
    "discovery.type": "single-node",
    "path.data": folder.data,
    "path.logs": folder.logs,
    // Otherwise a disk over 85 % full would turn every index yellow, and one over 95 % full read-only.
    "cluster.routing.allocation.disk.threshold_enabled": false,
    ...extra,
  };
  // JSON values are YAML values.
  return Object.entries(settings)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("");
}

/** Options that make a start a second or two faster, and the server slower after some minutes. */
const QUICK_START: readonly string[] = [
  // Only the first JIT compiler: the second does not pay off for a server that runs for minutes.
  "-XX:TieredStopAtLevel=1",
  // Allocates heap on use: OpenSearch would first fill the whole heap with zeros, a quarter of a second of kernel time.
  "-XX:-AlwaysPreTouch",
  // Skips bytecode verification of the distribution's classes, a tenth of the start.
  "-XX:+UnlockDiagnosticVMOptions",
  "-XX:-BytecodeVerificationRemote",
  // Uses the serial collector, which needs no threads and tables of its own: another tenth.
  "-XX:-UseG1GC",
  "-XX:+UseSerialGC",
];

/** Returns the distribution's options without heap, GC log and dump files, whose relative paths would be in `home`. */
function jvmOptions({ home, folder, heap, quickStart }: NodeSettings): string {
  const shipped = readFileSync(join(home, "config", "jvm.options"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !/^#|^-Xm[sx]|Xlog:gc|HeapDump|ErrorFile/.test(line));
  const ours = [`-Xms${heap}`, `-Xmx${heap}`, `-XX:ErrorFile=${join(folder.logs, "hs_err_%p.log")}`];
  if (quickStart) ours.push(...QUICK_START);
  return `${[...shipped, ...ours].join("\n")}\n`;
}

/** User and group ID. They need no entry in the user database. */
const UNPRIVILEGED = 1500;

/** Runs a command as a user that OpenSearch accepts: `prefix` comes before the command, `own` hands over folders. */
export interface RunAs {
  prefix: readonly string[];
  /** Changes the owner of a folder and its contents to that user. */
  own(folder: string): void;
  /** Throws LocalError unless that user can read the file. */
  requireReadable(file: string): void;
}

/** OpenSearch refuses to run as root. As root, uses setpriv to run as an unprivileged user. Otherwise does nothing. */
export function unprivileged(uid: number | undefined = process.getuid?.()): RunAs {
  if (uid !== 0) return { prefix: [], own() {}, requireReadable() {} };

  const prefix = ["setpriv", `--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, "--clear-groups"];
  return {
    prefix,
    own: chownTree,
    requireReadable(file) {
      const [command = "", ...args] = [...prefix, "test", "-r", file];
      const { status, error } = spawnSync(command, args);
      if (error) {
        throw new MissingTool(
          "OpenSearch refuses to run as root, and setpriv (package util-linux) is missing, so it cannot switch to another user: " +
            "install it, or run this as an ordinary user",
          { cause: error },
        );
      }
      if (status === 0) return;
      throw new LocalError(
        `OpenSearch refuses to run as root, so it runs as user ${UNPRIVILEGED}, who cannot read ${file}: ` +
          "let everyone enter the folders above it (chmod o+x), or run this as an ordinary user",
      );
    },
  };
}

function chownTree(folder: string) {
  lchownSync(folder, UNPRIVILEGED, UNPRIVILEGED);
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    lchownSync(join(folder, entry), UNPRIVILEGED, UNPRIVILEGED);
  }
}
