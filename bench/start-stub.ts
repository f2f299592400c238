import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { currentKey } from "../lib/platform/aws/versioned-documents.ts";
import { RULES } from "../lib/search/rules/name.ts";
import { indexedText } from "../lib/search/rules/text.ts";

/** Starts the stub of the cluster in a process of its own; its bucket has the files of the folder. */
export async function startStub(folder?: string): Promise<{ url: string; stop(): Promise<void> }> {
  const file = join(import.meta.dirname, "stub-cluster.ts");
  const child = spawn(process.execPath, [file, ...(folder === undefined ? [] : [folder])], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    url,
    async stop() {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}

/** Writes a document with versions into the folder of a stub's bucket. */
export function writeDocument(folder: string, name: string, content: object, form?: number): void {
  const file = join(folder, currentKey(name));
  mkdirSync(dirname(file), { recursive: true });
  const version = { version: 1, written_at: "", written_by: "bench", form, content };
  writeFileSync(file, name === RULES ? indexedText(version) : JSON.stringify(version));
}
