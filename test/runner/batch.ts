/** Runs the given test files one after another: `node test/runner/batch.ts a.test.ts b.test.ts`. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { exitWhenWritten } from "../../packages/processes/exit.ts";
import { processorSeconds } from "./usage.ts";

/** How a file of the batch ended. */
export interface FileResult {
  code: number;
  seconds: number;
  /** Processor seconds. */
  processor: number;
}

/** Starts the line that ends a file's output; its FileResult follows as JSON. No test prints this character. */
export const END_OF_FILE = "\u001e";

/** uvu's queue of suites, which its own command line fills in the same way. */
declare global {
  var UVU_QUEUE: unknown[][];
}

if (import.meta.main) {
  // Uses one stream, so that a file's messages come before its end.
  process.stderr.write = process.stdout.write.bind(process.stdout);
  globalThis.UVU_DEFER = 1;
  const { exec } = await import("uvu");
  const { suitesNotRun } = await import("../suite.ts");
  for (const file of process.argv.slice(2)) {
    const started = performance.now();
    const usedBefore = processorSeconds();
    const before = suitesNotRun();
    process.exitCode = 0;
    globalThis.UVU_QUEUE.splice(0, Number.POSITIVE_INFINITY, [null]);
    try {
      await import(pathToFileURL(resolve(file)).href);
      await exec();
      if (suitesNotRun() > before) throw new Error(`${suitesNotRun() - before} suite(s) declared but never run()`);
    } catch (error) {
      console.error(error);
      process.exitCode = 1;
    }
    const result: FileResult = {
      code: Number(process.exitCode),
      seconds: (performance.now() - started) / 1_000,
      processor: processorSeconds() - usedBefore,
    };
    process.stdout.write(`${END_OF_FILE}${JSON.stringify(result)}\n`);
  }
  await exitWhenWritten(0);
}
