import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOST } from "../process/ports.ts";
import type { NodeFolder } from "./node-folder.ts";

/** What a server is configured with. */
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
    // A laptop's disk over 85 % would turn every index yellow, over 95 % read-only.
    "cluster.routing.allocation.disk.threshold_enabled": false,
    ...extra,
  };
  // JSON values are YAML values.
  return Object.entries(settings)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("");
}

/** The distribution's options without its heap, GC log and dump files (relative paths: they would land in `home`). */
function jvmOptions({ home, folder, heap, quickStart }: NodeSettings): string {
  const shipped = readFileSync(join(home, "config", "jvm.options"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !/^#|^-Xm[sx]|Xlog:gc|HeapDump|ErrorFile/.test(line));
  const ours = [`-Xms${heap}`, `-Xmx${heap}`, `-XX:ErrorFile=${join(folder.logs, "hs_err_%p.log")}`];
  // The first compiler alone: a server that lives for minutes never earns back what the second one costs.
  if (quickStart) ours.push("-XX:TieredStopAtLevel=1");
  return `${[...shipped, ...ours].join("\n")}\n`;
}
