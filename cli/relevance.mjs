#!/usr/bin/env node
// Starts the CLI on the Node of the `node` package. Any Node from 18 on may run this file, so its syntax must be old.
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const node = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url));
const main = fileURLToPath(new URL("./main.ts", import.meta.url));

if (!existsSync(node)) {
  console.error(`The packages of relevance are not installed (${node} is missing): run make install`);
  process.exitCode = 1;
} else if (realpathSync(node) === realpathSync(process.execPath)) {
  await import("./main.ts");
} else {
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) {
    // A terminal sends Ctrl-C to both processes; forwarding it would deliver it twice.
    process.on(signal, () => (signal === "SIGINT" && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  child.on("error", (error) => {
    console.error(`${node} could not be started (${error.message}): run make install`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}
