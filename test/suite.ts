import { suite as uvuSuite } from "uvu";
import { processorSeconds, USAGE, USAGE_ENV } from "./runner/usage.ts";

declare global {
  /** Set by programs that run files one after another: uvu then does not begin by itself. */
  var UVU_DEFER: number | undefined;
}

/** Whether the files of this process run one after another, and the process ends after the last one. */
export const inBatch = () => globalThis.UVU_DEFER === 1;

let declared = 0;
let started = 0;

/** Returns how many suites of this process were declared but not run. */
export const suitesNotRun = () => declared - started;

process.on("exit", () => {
  if (process.env[USAGE_ENV] === String(process.ppid)) process.stdout.write(`${USAGE}${processorSeconds()}\n`);
  if (suitesNotRun() === 0) return;
  console.error(`${suitesNotRun()} suite(s) declared but never run()`);
  process.exitCode = 1;
});

/**
 * A uvu suite that cannot pass without testing. uvu exits 0 when a `before` hook throws (lukeed/uvu#60) and when
 * `run()` is forgotten; here both are failures.
 */
export function suite(name: string) {
  const tests = uvuSuite(name);
  declared += 1;

  const { run, before } = tests;
  tests.run = () => {
    started += 1;
    run();
  };
  tests.before = Object.assign(
    (hook: Parameters<typeof before>[0]) =>
      before(async (context) => {
        try {
          await hook(context);
        } catch (error) {
          console.error(`\n"${name}" could not start:`, error);
          process.exit(1);
        }
      }),
    { each: before.each },
  );
  return tests;
}
