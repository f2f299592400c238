/**
 * Runs the tests: `npm test -- [words] [--unit | --all]`. The last line is `N passed, N failed`; the exit code is 0 only if
 * at least one test passed and none failed.
 */
import { mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { scratchFolder } from "../packages/processes/scratch.ts";
import { cloudFixture } from "./fixtures/cloud.ts";
import { ROOT, TEST_OUTPUT } from "./fixtures/env.ts";
import { selectFiles } from "./runner/files.ts";
import { fixtureFolder, noTotals, runFiles, summaryOf } from "./runner/runner.ts";
import { type SharedFixture, SharedFixtures } from "./runner/shared-fixture.ts";
import { sharedOpenSearch } from "./runner/shared-opensearch.ts";
import { contractTools, TOOLS } from "./runner/tools.ts";

const USAGE = `usage: npm test -- [words] [options]
  words               only files whose path contains one of them
                      (default: all unit and integration tests, on one version of OpenSearch, and one Terraform test)
  --all               every file: infrastructure, contract and end to end, too
  --unit              only files that need no server or tool
  --time-limit S      seconds a file may take (default: 300 unit, 1800 integration, 2700 the rest)
  --root DIR          another folder with a test/ in it
  --serve             start the shared servers, print their variables, run until Ctrl-C`;

const { values: flags, positionals: words } = parseArguments();

/** What test files need besides Node.js: programs first, because looking for one is fast and starting a server is not. */
const FIXTURES: readonly SharedFixture[] = [
  ...TOOLS,
  contractTools,
  sharedOpenSearch({ ...flags, words }),
  cloudFixture,
];

const root = resolve(flags.root ?? ROOT);
const ci = !["", "0", "false", undefined].includes(process.env.CI);
const runFolder = scratchFolder(TEST_OUTPUT, "run");
const say = (line: string) => process.stdout.write(`${line}\n`);

const fixtures = new SharedFixtures((fixture) => {
  const folder = fixtureFolder(runFolder, fixture);
  mkdirSync(folder, { recursive: true });
  return fixture.start({ folder, say });
});

const totals = noTotals();
const interrupt = new AbortController();
const interrupted = new Promise<"interrupted">((done) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      interrupt.abort();
      done("interrupted");
    });
  }
});

const work = flags.serve ? serve() : runTests();
const result = await Promise.race([work, interrupted]);
if (result === "interrupted") {
  say(flags.serve ? "stopped" : "interrupted");
  if (!flags.serve) say(count());
  // Immediately, even while a fixture is starting: the servers end with this process.
  process.exit(flags.serve ? 0 : 130);
}
process.exitCode = result;

async function runTests(): Promise<number> {
  const files = selectFiles(root, { words, unitOnly: flags.unit, all: flags.all });
  if (files.length === 0) {
    say(words.length > 0 ? `no test file's path contains ${words.join(" or ")}` : `no test file in ${root}/test`);
  }
  const limit = flags["time-limit"];
  await runFiles({
    root,
    files,
    list: FIXTURES,
    fixtures,
    ci,
    totals,
    signal: interrupt.signal,
    say,
    ...(limit === undefined ? {} : { timeLimitMs: Number(limit) * 1000 }),
  });
  for (const message of await fixtures.stop()) {
    totals.failures.push(`✗ ${message}`);
    totals.failed += 1;
  }
  rmSync(runFolder, { recursive: true, force: true });
  if (files.length > 0) say(summaryOf(totals));
  if (files.length > 0 && totals.passed + totals.failed === 0) say("no test has run");
  say(count());
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1;
}

/**
 * Starts the servers and prints the variables with which single test files use them. Ends on a signal, or if none
 * starts.
 */
async function serve(): Promise<number> {
  let started = 0;
  for (const fixture of FIXTURES) {
    const state = await fixtures.get(fixture);
    if (state.kind !== "started") {
      say(`${fixture.name}: ${state.message}`);
      continue;
    }
    started += 1;
    for (const [name, value] of Object.entries(state.fixture.env)) say(`export ${name}='${value}'`);
  }
  if (started === 0) return 1;
  // The servers do not keep this process alive; a timer does.
  const idle = setInterval(() => {}, 60_000);
  await interrupted;
  clearInterval(idle);
  return 0;
}

function count(): string {
  return `${totals.passed} passed, ${totals.failed} failed`;
}

function parseArguments() {
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: {
        unit: { type: "boolean", default: false },
        all: { type: "boolean", default: false },
        serve: { type: "boolean", default: false },
        root: { type: "string" },
        "time-limit": { type: "string" },
      },
    });
    const limit = parsed.values["time-limit"];
    if (limit !== undefined && !(Number(limit) > 0))
      throw new Error(`--time-limit ${limit} is not a number of seconds`);
    return parsed;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}
