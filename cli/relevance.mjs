#!/usr/bin/env node
// Starts the CLI on the Node of the `node` package. Any Node from 18 on may run this file, so its syntax must be old.
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

// In a clone, or below the node_modules of a project.
const [own, shared] = ["../node_modules/.bin/node", "../../../.bin/node"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
const isInstalled = import.meta.url.includes("/node_modules/");
const node = isInstalled && !existsSync(own) ? shared : own;
const remedy = isInstalled ? "npm install --allow-scripts=node,esbuild" : "make install";
const main = fileURLToPath(new URL("./main.ts", import.meta.url));

// The first command of a project.
if (process.argv[2] === "init" && Number.parseInt(process.versions.node, 10) < 22) {
  const minimum = "Node 22 is the minimum, for npm: install it from nodejs.org";
  console.error(`This machine has Node ${process.versions.node}. ${minimum}. relevance itself runs on its own.`);
}
if (!existsSync(node)) {
  console.error(`The packages of relevance are not installed (${node} is missing): run ${remedy}`);
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
    console.error(`${node} could not be started (${error.message}): run ${remedy}`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}
