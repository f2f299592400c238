import { relative, resolve } from "node:path";
import { rerankModels } from "@relevance/lib/infrastructure/endpoints.ts";
import { fileProblem } from "@relevance/lib/platform/system-error.ts";
import { visible } from "@relevance/lib/platform/visible.ts";
import { ModelFilesError } from "@relevance/lib/search/embeddings/model-files.ts";
import { ConfigurationError } from "@relevance/lib/settings/problem.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { type BannerOptions, banner } from "./banner.ts";
import { DEMO_INDEX, demoMappings, demoSchema } from "./demo-index.ts";
import { examples, personalizedSearchExample, recommendationExamples } from "./examples.ts";
import { followConfiguration } from "./follow-configuration.ts";
import { type DevOptions, DevUsageError, devOptions, HELP } from "./options.ts";
import { type RunningStack, runningStack } from "./running-stack.ts";
import { createScope, type Scope } from "./scope.ts";
import { type Stack, startStack } from "./stack.ts";
import { claimFolder, stateFile } from "./state-file.ts";
import { requireTools } from "./tools.ts";
import { configurationFiles } from "./watch-configuration.ts";

/** A launcher that forwards Ctrl-C delivers it twice. Only a later signal counts as the second Ctrl-C. */
const SECOND_SIGNAL_MS = 500;

/**
 * `make dev`: starts the stack, prints how to use it, and stops it on Ctrl-C. Returns the exit code: 0 after Ctrl-C, 2
 * for wrong usage or configuration, 1 if something failed or a server died. The caller exits with this code, which also
 * ends servers that are still starting.
 */
export async function runDev(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  try {
    const options = devOptions(args, env);
    if (!options) {
      console.log(HELP);
      return 0;
    }
    return await runStack(options, ({ stack, seconds }) => console.log(describe(stack, options, seconds)));
  } catch (error) {
    return report(error);
  }
}

/** The stack that has started. */
export interface Started {
  stack: Stack;
  /** Closed on Ctrl-C, or when a server died. */
  scope: Scope;
  /** Seconds that the start took. */
  seconds: number;
}

/**
 * Starts the stack, calls `onReady`, and stops everything on Ctrl-C. Returns 0 after Ctrl-C. Throws if a server dies, or
 * what `onReady` throws.
 */
export async function runStack(options: DevOptions, onReady: (started: Started) => unknown): Promise<number> {
  const begun = performance.now();
  await requireTools(options);
  const claim = claimFolder(options.dir);
  const say = (line: string) => console.log(visible(line));
  process.once("exit", claim.release);
  const scope = createScope();
  const interrupted = onInterrupt();
  try {
    const files = configurationFiles(options.conf);
    const starting = startStack(options, scope, say);
    // After an interruption nothing awaits this promise.
    starting.catch(() => undefined);
    const stack = await Promise.race([starting, interrupted.then(() => undefined)]);
    if (!stack) return 0;

    scope.add(followConfiguration({ stack, claim, conf: options.conf, files, say }));
    const seconds = (performance.now() - begun) / 1000;
    return await untilEnd(stack.died, interrupted, async () => onReady({ stack, scope, seconds }));
  } finally {
    await scope.close();
    claim.release();
  }
}

/**
 * Calls `onReady` with the stack that another process runs in this folder, and waits for Ctrl-C, after which that stack
 * goes on. Returns 0 then, and undefined if none runs. Throws LocalError if that stack ends, or what `onReady` throws.
 */
export async function joinStack(
  options: DevOptions,
  onReady: (joined: Pick<RunningStack, "state"> & Pick<Started, "scope">) => unknown,
): Promise<number | undefined> {
  const running = await runningStack(options);
  if (!running) return undefined;
  const scope = createScope();
  scope.add(running.stop);
  try {
    return await untilEnd(running.died, onInterrupt(), async () => onReady({ state: running.state, scope }));
  } finally {
    await scope.close();
  }
}

/** Returns 0 after Ctrl-C. Throws the reason if the stack has ended before, or what `work` throws. */
async function untilEnd(died: Promise<LocalError>, interrupted: Promise<void>, work: () => Promise<unknown>) {
  const failed = new Promise<never>((_, reject) => {
    work().catch(reject);
  });
  const death = await Promise.race([died, failed, interrupted.then(() => undefined)]);
  if (death) throw death;
  return 0;
}

/** Resolves on the first Ctrl-C (or SIGTERM or SIGHUP). The second ends the process immediately. */
function onInterrupt(): Promise<void> {
  let first: number | undefined;
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (first === undefined) {
          first = performance.now();
          console.log("\nstopping … (press Ctrl-C again to kill)");
          resolve();
        } else if (performance.now() - first > SECOND_SIGNAL_MS) process.exit(130);
      });
    }
  });
}

function describe(
  { state, searchGateway, recommendation, models, dimensions }: Stack,
  options: DevOptions,
  seconds: number,
): string {
  const { hybridQueries } = searchGateway;
  return banner({
    state,
    models,
    rerankers: rerankModels({ hybridQueries }),
    examples: examples(demoMappings(hybridQueries), options.demo ? undefined : demoSchema(hybridQueries, dimensions)),
    recommendation: recommendation && recommendationPart(recommendation, state.search.api_key, options),
    stateFile: stateFile(options.dir),
    seconds,
  });
}

function recommendationPart(
  { url, trained, sample, filters }: NonNullable<Stack["recommendation"]>,
  apiKey: string,
  { demo, conf }: DevOptions,
): BannerOptions["recommendation"] {
  const firstSteps =
    conf === DEMO_CONF ? ["make demo-train"] : [uploadCommand(url, apiKey), trainCommand(relative("", conf))];
  if (!sample) return { firstSteps, examples: [], searchExamples: [] };
  return {
    firstSteps,
    examples: recommendationExamples(trained, sample, filters),
    searchExamples:
      demo && trained.includes("personalized_ranking") ? [personalizedSearchExample(sample.userId, DEMO_INDEX)] : [],
  };
}

/** The only configuration that matches the demo's CSV files. */
const DEMO_CONF = resolve("conf.local");

const uploadCommand = (url: string, apiKey: string) =>
  `RELEVANCE_API_KEY=${apiKey} npm run relevance -- upload-sample --users USERS.csv --items ITEMS.csv --interactions INTERACTIONS.csv --api-host ${url}`;

const trainCommand = (conf: string) => `npm run relevance -- train --local --conf ${conf} --training-mode init --wait`;

/** Prints an error, and returns the exit code. */
export function report(error: unknown): number {
  const expected = [LocalError, ConfigurationError, ModelFilesError].some((kind) => error instanceof kind);
  const refused = fileProblem(error);
  console.error(expected ? visible((error as Error).message) : (refused?.message ?? error));
  return error instanceof DevUsageError || error instanceof ConfigurationError || refused?.wrongPath ? 2 : 1;
}
