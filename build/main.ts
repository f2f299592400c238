import { statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { namesOf } from "../lib/platform/naming/names.ts";
import { visible } from "../lib/platform/visible.ts";
import { MODEL_FILE_NAMES, ModelFilesError } from "../lib/search/embeddings/model-files.ts";
import { readModelFiles } from "../lib/search/embeddings/sparse-model.ts";
import { loadConfiguration } from "../lib/settings/load.ts";
import { ConfigurationError } from "../lib/settings/problem.ts";
import { BuildError } from "./error.ts";
import { type BuildOptions, buildFunctions, functionNames } from "./functions.ts";
import { withNativeCode } from "./native.ts";
import { functionFiles, functionsOf } from "./settings-files.ts";

const HELP = `Bundles functions for Lambda: dist/functions/<name>/ and dist/functions/<name>.zip

  make build                      every function that the configuration deploys
  make build ARGS=log-handler     one of them
  --out DIR                       where to write (default dist/functions)
  --conf DIR                      adds config.json to the functions that read one: their settings from these YAML
                                  files. Without it every function of the repository is built, without settings
  --local                         without native code for Lambda's processor, for local servers
  --models DIR                    adds ${MODEL_FILE_NAMES.join(", ")} to api-router
`;

const OPTIONS = {
  out: { type: "string", default: "dist/functions" },
  conf: { type: "string" },
  models: { type: "string" },
  local: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Builds the requested functions and prints a line for each. */
async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const { functions, files: settings } = await inputOf(positionals, values);
  const names = functions.length > 0 ? functions : functionNames();
  const files = values.local ? settings : await withNativeCode(settings, names);
  const built = await buildFunctions({ outdir: values.out, functions: names, files });
  for (const [name, { zip, dir, sha256 }] of Object.entries(built)) {
    const entry = statSync(join(dir, "index.mjs")).size;
    console.log(`${name.padEnd(20)} ${kilobytes(statSync(zip).size)} zip ${kilobytes(entry)} entry  ${sha256}`);
  }
}

interface Values {
  conf?: string;
  models?: string;
}

/** Returns the functions to build and their extra files. Without function names: all. */
async function inputOf(
  asked: readonly string[],
  { conf, models }: Values,
): Promise<Required<Pick<BuildOptions, "functions" | "files">>> {
  if (conf === undefined) {
    return { functions: asked, files: models === undefined ? {} : { "api-router": await readModelFiles(models) } };
  }
  const configuration = loadConfiguration(conf);
  const deployed = functionsOf(configuration);
  const unknown = asked.find((name) => !deployed.some((one) => one === name));
  if (unknown !== undefined) {
    throw new BuildError(`${conf} deploys no function "${unknown}"; it deploys ${deployed.join(", ")}`);
  }
  const functions = asked.length > 0 ? asked : deployed;
  const { project_name: project, aws } = configuration.project;
  // No name in the settings depends on the account.
  const names = namesOf({ project, account: aws.account_id ?? "000000000000", region: aws.region_name });
  const files = await functionFiles(configuration, { names, models });
  return { functions, files: Object.fromEntries(Object.entries(files).filter(([name]) => functions.includes(name))) };
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0).padStart(6)} kB`;

const EXPECTED = [BuildError, ConfigurationError, ModelFilesError];

try {
  await main(process.argv.slice(2));
} catch (error) {
  const usage = (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS") ?? false;
  const expected = usage || EXPECTED.some((kind) => error instanceof kind);
  console.error(expected ? visible((error as Error).message) : error);
  process.exitCode = usage || error instanceof ConfigurationError ? 2 : 1;
}
