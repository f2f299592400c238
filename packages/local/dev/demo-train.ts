/** `make demo-train`: goes from the demo's CSV files to recommendations, with the commands that a user would run. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeDemoFiles } from "@relevance/demo-data/files.ts";
import { type DemoData, demoData } from "@relevance/demo-data/readers.ts";
import { PACKAGE_FOLDER } from "@relevance/lib/platform/folders.ts";
import { hashOf } from "@relevance/lib/platform/naming/names.ts";
import { shellWord } from "@relevance/lib/platform/shell-word.ts";
import { visible } from "@relevance/lib/platform/visible.ts";
import { generateSchemas } from "@relevance/lib/recommendation/schema/generate.ts";
import { loadConfiguration } from "@relevance/lib/settings/load.ts";
import { ConfigurationError } from "@relevance/lib/settings/problem.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { demoReport, untilAnswering } from "./demo-report.ts";
import { findWhatIsThere } from "./demo-state.ts";
import { DevUsageError, refusing } from "./options.ts";
import type { DevState } from "./state-file.ts";

const HELP = `From the demo's CSV files to recommendations, on a running \`make dev\`.

  make demo-train                     writes the files, uploads them, trains, prints what to try; what is done
                                      already is not done again
  make demo-train ARGS=--again        trains again
  make demo-train ARGS='--conf DIR'   its configuration (default conf.local)
`;

/** The folder of `make dev`. `relevance train --local` uses the same one. */
const DIR = ".local";

interface Options {
  conf: string;
  again: boolean;
}

/** The state of a `make dev` that includes the recommendation service. */
type Running = DevState & Required<Pick<DevState, "recommendation">>;

async function main(args: readonly string[]): Promise<void> {
  const options = optionsOf(args);
  if (!options) {
    console.log(HELP);
    return;
  }
  const state = runningStack(DIR);
  const configuration = loadConfiguration(options.conf);
  const { recommendation } = configuration;
  if (!recommendation)
    throw new LocalError(`${options.conf} has no recommendation service: add personalize to project.yaml`);

  const data = demoData();
  const folder = join(DIR, "demo");
  const files = await writeDemoFiles(data, folder);
  console.log(`the demo's data is in ${folder}: ${sizes(data)}`);
  await checkSchemas(files, recommendation.schemas, options.conf);

  const there = await findWhatIsThere(state.aws.endpoint, configuration.project.project_name, recommendation, data);
  if (there.uploaded) console.log("uploaded already");
  else {
    const { url, api_key } = state.recommendation;
    const what = ["--users", files.users, "--items", files.items, "--interactions", files.interactions];
    await relevance(["upload-sample", ...what, "--api-host", url], { RELEVANCE_API_KEY: api_key });
  }
  if (there.trained && there.uploaded && !options.again) console.log("trained already (ARGS=--again trains again)");
  else {
    const recipes = Object.keys(recommendation.solution.recipes).join(",");
    const where = ["--local", "--conf", options.conf];
    // The demo's events have IMPRESSION, so init is rejected once a campaign is active.
    const mode = there.begun ? "update_dataset_group" : "init";
    await relevance(["train", ...where, "--recipes", recipes, "--training-mode", mode, "--wait"]);
  }
  await untilAnswering(state.recommendation);
  console.log(await demoReport(state, recommendation, data));
}

function optionsOf(args: readonly string[]): Options | undefined {
  const options = {
    conf: { type: "string", default: "conf.local" },
    again: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  } as const;
  const { values } = refusing(HELP, () => parseArgs({ args: [...args], options }));
  return values.help ? undefined : { conf: resolve(values.conf), again: values.again };
}

function runningStack(dir: string): Running {
  const file = resolve(dir, "dev.json");
  if (!existsSync(file)) {
    throw new LocalError(`there is no ${file}: start \`make dev\` in another terminal, and wait until it is ready`);
  }
  const state = JSON.parse(readFileSync(file, "utf8")) as DevState;
  const { recommendation } = state;
  if (!recommendation) {
    throw new LocalError("`make dev` runs without the recommendation service: its configuration has no personalize");
  }
  return { ...state, recommendation };
}

/** Throws LocalError unless the configured schemas match the files. Otherwise every record would be rejected. */
async function checkSchemas(
  files: Awaited<ReturnType<typeof writeDemoFiles>>,
  schemas: Readonly<Record<string, unknown>>,
  conf: string,
): Promise<void> {
  const sample = { user: files.users, item: files.items, interaction: files.interactions };
  const generated = await generateSchemas({ ...sample, textualFields: ["TITLE"] });
  const other = Object.entries(generated.schemas).filter(
    ([dataset, schema]) => hashOf(schema) !== hashOf(schemas[dataset]),
  );
  if (other.length === 0) {
    console.log(`the schemas of ${conf} are those of the files`);
    return;
  }
  throw new LocalError(
    `the schemas in ${conf} are not those of the demo's files: ${other.map(([dataset]) => dataset).join(", ")}. ` +
      "The demo works only with conf.local as it is shipped. With data of your own: relevance upload-sample, then relevance train --local",
  );
}

/** Runs a CLI command with visible output. Throws LocalError if it fails. The command itself has printed the reason. */
async function relevance(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<void> {
  console.log(`\n$ relevance ${args.map(shellWord).join(" ")}`);
  const child = spawn(process.execPath, [join(PACKAGE_FOLDER, "cli/main.ts"), ...args], {
    stdio: "inherit",
    env: { ...process.env, ...variables },
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new LocalError(`relevance ${args[0]} ended with exit code ${code}`);
}

function sizes({ readers, books, interactions }: DemoData): string {
  const count = (list: readonly unknown[]) => list.length.toLocaleString("en");
  return `${count(readers)} users, ${count(books)} items, ${count(interactions)} interactions`;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const expected = error instanceof LocalError || error instanceof ConfigurationError;
  console.error(expected ? visible(error.message) : error);
  process.exitCode = error instanceof DevUsageError || error instanceof ConfigurationError ? 2 : 1;
}
