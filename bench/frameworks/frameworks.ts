import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { patient } from "../../packages/processes/wait.ts";
import { API_KEY, type GatewayOptions, startGateway } from "../../test/fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../../test/fixtures/opensearch.ts";
import type { Benchmark, Row } from "../result.ts";
import { GUIDE, type Results, type Run, STEPS, type Target, withTable } from "./guide.ts";
import { type Command, programs } from "./programs.ts";

const RESULTS = join(import.meta.dirname, "results.json");
const run = promisify(execFile);

/** The keys that the programs call with. */
const KEYS: Readonly<Record<Exclude<Target, "cluster">, GatewayOptions["key"]>> = {
  printed: undefined,
  recommended: { endpoints: ["raw-backend"] },
  indexes: { endpoints: ["raw-backend"], indexes: ["frameworks-*"] },
};

/**
 * What can frameworks and clients do through the gateway that they can do with the cluster itself? OPENSEARCH_VERSION
 * chooses the version, TEST_OPENSEARCH running servers of several.
 */
export const frameworksBenchmark: Benchmark = {
  async run() {
    const results: Results = {
      date: new Date().toISOString().slice(0, 10),
      titles: Object.fromEntries(Object.entries(programs).map(([name, { title }]) => [name, title])),
      notRun: {},
      runs: [],
    };
    const commands = await installAll(results.notRun);
    for (const { version, url } of await clusters()) {
      const targets: Array<[Target, string]> = [["cluster", url]];
      const gateways = [];
      for (const [target, key] of Object.entries(KEYS)) {
        const gateway = await startGateway({ node: url, ...(key && { key }) });
        gateways.push(gateway);
        targets.push([target as Target, `${gateway.url}/raw-backend`]);
      }
      for (const [program, command] of commands) {
        const played = await Promise.all(targets.map((target) => runOf({ program, version, command, url }, target)));
        results.runs.push(...compared(played));
      }
      for (const gateway of gateways) await gateway.stop();
    }
    results.runs.unshift(...earlierRuns(results));
    writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
    writeFileSync(GUIDE, withTable(readFileSync(GUIDE, "utf8"), results));
    return [rowOf(results)];
  },
};

interface Playing {
  program: string;
  version: string;
  command: Command;
  /** Of the cluster. */
  url: string;
}

/** A run, and what each step returned as JSON, with the name of the index replaced. */
interface Played extends Run {
  got: Partial<Record<string, string>>;
}

async function runOf({ program, version, command, url }: Playing, [target, node]: [Target, string]): Promise<Played> {
  const index = uniqueIndex(`frameworks-${program}`);
  const { steps, got } = await play(command, { URL: node, KEY: API_KEY, INDEX: index });
  console.error(`${program} ${version} ${target}: ${JSON.stringify(steps)}`);
  await request({ url }, "DELETE", `/${index}`);
  return { program, target, version, steps, got };
}

/** Returns the runs, in which a step that returned something else than with the cluster itself has failed, too. */
function compared(played: readonly Played[]): Run[] {
  const own = played.find(({ target }) => target === "cluster");
  return played.map(({ got, steps, ...run }) => {
    const other = Object.entries(got).filter(([step, value]) => own?.steps[step] === null && own.got[step] !== value);
    const failed = other.map(([step, value]) => [step, `returned ${value} in place of ${own?.got[step]}`] as const);
    return { ...run, steps: { ...steps, ...Object.fromEntries(failed) } };
  });
}

/** Returns the last runs with versions of OpenSearch that this run has not tried. */
function earlierRuns({ runs }: Results): Run[] {
  if (!existsSync(RESULTS)) return [];
  const earlier = JSON.parse(readFileSync(RESULTS, "utf8")) as Results;
  return earlier.runs.filter(({ version }) => runs.every((run) => run.version !== version));
}

async function installAll(notRun: Record<string, string>): Promise<Map<string, Command>> {
  const commands = new Map<string, Command>();
  for (const [name, { install }] of Object.entries(programs)) {
    try {
      commands.set(name, await install());
    } catch (error) {
      notRun[name] = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    }
  }
  return commands;
}

/** The line of a step. */
interface Printed {
  step: string;
  got?: unknown;
  error?: string;
}

/** Runs a program and returns what it printed. A step that it did not reach failed with the program's last words. */
async function play(
  [file, ...args]: Command,
  env: Readonly<Record<"URL" | "KEY" | "INDEX", string>>,
): Promise<Pick<Played, "steps" | "got">> {
  const options = { env: { ...process.env, ...env }, timeout: patient(180_000), maxBuffer: 16 * 1024 * 1024 };
  const { stdout, died } = await run(file, args, options).then(
    (ended) => ({ stdout: ended.stdout, died: undefined }),
    (error: { stdout?: string; stderr?: string; message: string }) => ({
      stdout: error.stdout ?? "",
      died: error.stderr?.trim().split("\n").at(-1) || error.message,
    }),
  );
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  const printed = lines.map((line) => JSON.parse(line.replaceAll(env.INDEX, "<index>")) as Printed);
  const steps: Run["steps"] = Object.fromEntries(printed.map(({ step, error }) => [step, error ?? null]));
  if (died !== undefined) steps[STEPS.find((step) => steps[step] === undefined) ?? "delete"] = died;
  const got = printed.flatMap((one) => (one.error === undefined ? [[one.step, JSON.stringify(one.got)] as const] : []));
  return { steps, got: Object.fromEntries(got) };
}

function rowOf({ runs, notRun, titles }: Results): Row {
  const works = ({ program, version, target }: Pick<Run, "program" | "version" | "target">, step: string) =>
    runs.some(
      (one) => one.program === program && one.version === version && one.target === target && one.steps[step] === null,
    );
  const asked = runs.flatMap((one) =>
    one.target === "cluster"
      ? []
      : STEPS.filter((step) => works({ ...one, target: "cluster" }, step)).map((step) => ({ ...one, step })),
  );
  const done = asked.filter((one) => works(one, one.step));
  const versions = [...new Set(runs.map(({ version }) => version))];
  return {
    what: "what client programs can do with the cluster, done through the gateway",
    budget: "all of it, with each key",
    reached: `${done.length} of ${asked.length} steps`,
    kept: done.length === asked.length && Object.keys(notRun).length === 0,
    note:
      `${Object.values(titles).join(", ")}; with the printed key, a \`recommended\` one and one with \`indexes\`, ` +
      `OpenSearch ${versions.join(" and ")}; the table is in docs/guides/raw-backend.md`,
  };
}
