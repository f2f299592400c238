import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOST } from "../process/ports.ts";
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

/** Returns the distribution's options without heap, GC log and dump files, whose relative paths would be in `home`. */
function jvmOptions({ home, folder, heap, quickStart }: NodeSettings): string {
  const shipped = readFileSync(join(home, "config", "jvm.options"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !/^#|^-Xm[sx]|Xlog:gc|HeapDump|ErrorFile/.test(line));
  const ours = [`-Xms${heap}`, `-Xmx${heap}`, `-XX:ErrorFile=${join(folder.logs, "hs_err_%p.log")}`];
  // Uses the first JIT compiler only: the second one does not pay off for a server that runs for minutes.
  if (quickStart) ours.push("-XX:TieredStopAtLevel=1");
  return `${[...shipped, ...ours].join("\n")}\n`;
}
