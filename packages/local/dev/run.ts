import { join, relative, resolve } from "node:path";
import { rerankModels } from "@relevance/lib/infrastructure/endpoints.ts";
import { fileProblem } from "@relevance/lib/platform/system-error.ts";
import { visible } from "@relevance/lib/platform/visible.ts";
import { ModelFilesError } from "@relevance/lib/search/embeddings/model-files.ts";
import { ConfigurationError } from "@relevance/lib/settings/problem.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { type BannerOptions, banner } from "./banner.ts";
import { DEMO_INDEX, demoMappings, demoSchema } from "./demo-index.ts";
import { examples, personalizedSearchExample, recommendationExamples } from "./examples.ts";
import { type DevOptions, DevUsageError, devOptions, HELP } from "./options.ts";
import { createScope, type Scope } from "./scope.ts";
import { type Stack, startStack } from "./stack.ts";
import { claimFolder } from "./state-file.ts";
import { requireTools } from "./tools.ts";
import { watchConfiguration } from "./watch-configuration.ts";

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
  process.once("exit", claim.release);
  const scope = createScope();
  const interrupted = onInterrupt();
  try {
    const starting = startStack(options, scope, (line) => console.log(visible(line)));
    // After an interruption nothing awaits this promise.
    starting.catch(() => undefined);
    const stack = await Promise.race([starting, interrupted.then(() => undefined)]);
    if (!stack) return 0;

    claim.publish(stack.state);
    scope.add(
      watchConfiguration(options.conf, (files) => {
        console.log(`${files.map((file) => join(options.conf, file)).join(", ")} changed: restart make dev to use it`);
      }),
    );
    const seconds = (performance.now() - begun) / 1000;
    const failed = new Promise<never>((_, reject) => {
      Promise.resolve(onReady({ stack, scope, seconds })).catch(reject);
    });
    const death = await Promise.race([stack.died, failed, interrupted.then(() => undefined)]);
    if (death) throw death;
    return 0;
  } finally {
    await scope.close();
    claim.release();
  }
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
    stateFile: join(options.dir, "dev.json"),
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
