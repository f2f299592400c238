import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { runProgram } from "./program.ts";
import { reportError } from "./report-error.ts";
import { createTerminal } from "./terminal.ts";
import { toolVersion } from "./version.ts";

// Commands load hundreds of files. A folder that cannot be written only leaves the cache off.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/relevance", import.meta.url)));

const args = process.argv.slice(2);
const noColor = (process.env.NO_COLOR ?? "") !== "" || process.env.TERM === "dumb";
const terminal = createTerminal(process.stdout, process.stderr, noColor);

// The reader of a pipe may stop early, as in `relevance … | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

try {
  process.exitCode = await runProgram(args, toolVersion(), { terminal, env: process.env });
} catch (error) {
  process.exitCode = await reportError(error, args, terminal);
}
