import * as v from "valibot";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { begin } from "../../lib/recommendation/training/begin.ts";
import { checkData } from "../../lib/recommendation/training/check-data.ts";
import { MAX_POLLS, type TrainingContext, TrainingError } from "../../lib/recommendation/training/context.ts";
import { finish } from "../../lib/recommendation/training/finish.ts";
import { pollImports, startImports } from "../../lib/recommendation/training/imports.ts";
import { awaitIngestion, checkArrivals } from "../../lib/recommendation/training/ingestion.ts";
import { TrainingTask } from "../../lib/recommendation/training/task.ts";
import { teardown } from "../../lib/recommendation/training/teardown.ts";
import { acceptVersions, trainRecipes } from "../../lib/recommendation/training/train.ts";
import type { TrainingEnv } from "./env.ts";

/** Clients and settings of training. */
export type TrainingClients = Pick<
  TrainingContext,
  "settings" | "personalize" | "pointers" | "store" | "state" | "executions" | "accepted" | "now" | "print"
>;

/** Returns a handler that runs one step of a training per call. A repeated step resumes what an earlier one started. */
export function createHandler(env: TrainingEnv, clients: TrainingClients) {
  const seconds = env.POLL_SECONDS;
  const context: TrainingContext = {
    ...clients,
    names: namesOf({ project: env.PROJECT_NAME, account: env.ACCOUNT_ID, region: env.AWS_REGION }),
    bucket: env.BUCKET,
    importRoleArn: env.IMPORT_ROLE_ARN,
    logLookbackDays: env.LOG_LOOKBACK_DAYS,
    bufferSeconds: env.INGESTION_BUFFER_SECONDS,
    looks:
      seconds === undefined ? MAX_POLLS : { arrivals: seconds, imports: seconds, recipes: seconds, teardown: seconds },
  };
  return async (event: unknown): Promise<object> => {
    const parsed = v.safeParse(TrainingTask, event);
    if (!parsed.success) throw new TrainingError(`The input is not a step of training: ${v.summarize(parsed.issues)}`);
    return work(parsed.output, context);
  };
}

async function work(task: TrainingTask, context: TrainingContext): Promise<object> {
  switch (task.task) {
    case "begin": {
      const { mode, recipes, accept_missing } = task.input;
      return begin({ ...task, mode, recipes, acceptMissing: accept_missing }, context);
    }
    case "ingestion":
      return awaitIngestion(task.run, task, context);
    case "arrivals":
      return checkArrivals(task.run, task, task.attempts, context);
    case "check":
      return checkData(task.run, task.checks, context);
    case "import":
      return startImports(task, context);
    case "imports":
      return pollImports(task.run, task.jobs, context);
    case "train":
      return trainRecipes(task, context);
    case "accept":
      return acceptVersions(task, context);
    case "finish":
      return finish(task.run, task.progress, context);
    case "teardown":
      return teardown(task, context);
  }
}
