import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { Resource } from "../resources.ts";
import type { LiveRow, Part } from "./rows.ts";

/** Persists state across restarts. Resources stored in another format version are ignored. */
export interface Storage {
  loadResources(): { resources: Resource[]; sequence: number } | undefined;
  saveResources(resources: readonly Resource[], sequence: number): void;
  loadDataset(arn: string): { parts: Part[]; live: LiveRow[] };
  saveParts(arn: string, parts: readonly Part[]): void;
  appendLive(arn: string, rows: readonly LiveRow[]): void;
  saveLive(arn: string, rows: readonly LiveRow[]): void;
  loadModel(arn: string): unknown;
  saveModel(arn: string, model: unknown): void;
  /** Removes the files of all other ARNs. */
  keepOnly(arns: readonly string[]): void;
  clear(): void;
}

/** Stores nothing. */
export const NO_STORAGE: Storage = {
  loadResources: () => undefined,
  saveResources: () => undefined,
  loadDataset: () => ({ parts: [], live: [] }),
  saveParts: () => undefined,
  appendLive: () => undefined,
  saveLive: () => undefined,
  loadModel: () => undefined,
  saveModel: () => undefined,
  keepOnly: () => undefined,
  clear: () => undefined,
};

const FORMAT = 1;

/**
 * Stores everything in a directory. A file is written completely beside the old one and then renamed over it. Rows from
 * the events API are appended as lines, and an incomplete last line is dropped on reading. So if the process is killed
 * during a write, only complete records remain.
 */
export function directoryStorage(directory: string): Storage {
  mkdirSync(directory, { recursive: true });
  const path = (arn: string, ending: string) =>
    join(directory, `${createHash("sha256").update(arn).digest("hex").slice(0, 24)}.${ending}`);
  const resourcesFile = join(directory, "resources.json");

  return {
    loadResources() {
      if (!existsSync(resourcesFile)) return undefined;
      const stored = JSON.parse(readFileSync(resourcesFile, "utf8"));
      return stored.format === FORMAT ? stored : undefined;
    },
    saveResources: (resources, sequence) =>
      replaceFile(resourcesFile, Buffer.from(JSON.stringify({ format: FORMAT, sequence, resources }))),
    loadDataset: (arn) => ({
      parts: existsSync(path(arn, "parts")) ? deserialize(readFileSync(path(arn, "parts"))) : [],
      live: existsSync(path(arn, "live.ndjson")) ? readLines(path(arn, "live.ndjson")) : [],
    }),
    saveParts: (arn, parts) => replaceFile(path(arn, "parts"), serialize(parts)),
    appendLive(arn, rows) {
      appendFileSync(path(arn, "live.ndjson"), linesOf(rows));
    },
    saveLive: (arn, rows) => replaceFile(path(arn, "live.ndjson"), Buffer.from(linesOf(rows))),
    loadModel: (arn) => (existsSync(path(arn, "model")) ? deserialize(readFileSync(path(arn, "model"))) : undefined),
    saveModel: (arn, model) => replaceFile(path(arn, "model"), serialize(model)),
    keepOnly(arns) {
      const kept = new Set(arns.flatMap((arn) => ["parts", "live.ndjson", "model"].map((ending) => path(arn, ending))));
      for (const name of readdirSync(directory)) {
        const file = join(directory, name);
        if (file !== resourcesFile && !kept.has(file)) rmSync(file, { force: true });
      }
    },
    clear() {
      for (const name of readdirSync(directory)) rmSync(join(directory, name), { force: true });
    },
  };
}

function linesOf(rows: readonly LiveRow[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

function replaceFile(file: string, content: Uint8Array): void {
  const next = `${file}.next`;
  const handle = openSync(next, "w");
  try {
    writeFileSync(handle, content);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(next, file);
}

function readLines(file: string): LiveRow[] {
  const text = readFileSync(file, "utf8");
  const complete = text.slice(0, text.lastIndexOf("\n") + 1);
  // The next append would otherwise continue the incomplete line.
  if (complete.length < text.length) replaceFile(file, Buffer.from(complete));
  return complete
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
