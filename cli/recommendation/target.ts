import type { Personalize } from "../../lib/personalize/resources/personalize.ts";
import { UsageError } from "../../lib/platform/failure.ts";
import type { TrainingState } from "../../lib/recommendation/training/state.ts";
import type { Recommendation } from "../../lib/settings/configuration.ts";
import { type Context, confOf } from "../command.ts";
import { explained } from "../discovery/explain.ts";
import type { SdkConfig } from "../discovery/sdk/config.ts";
import { failing, inAccount, openSession, type Project } from "../project.ts";

/** The options of commands that read from Personalize. */
export interface TargetOptions {
  conf: string;
  /** Whether to use the stack of `make dev` instead of AWS. */
  local: boolean;
}

/** A project with the recommendation service, and the clients of those commands. */
export interface Target extends Project {
  recommendation: Recommendation;
  personalize: Personalize;
  state: TrainingState;
  /** Whether it is in the stack of `make dev`. */
  isDev: boolean;
}

/**
 * Opens the account or the local stack. Throws ConfigurationError, UsageError or Failure; the message says what to do.
 */
export async function openTarget(options: TargetOptions, context: Context): Promise<Target> {
  const session = await openSession(confOf(options), context);
  const { recommendation } = session.config;
  if (!recommendation) {
    throw new UsageError("project.yaml has no section personalize: there is no recommendation service in this project");
  }
  return targetIn(await inAccount(session, options.local), recommendation, options.local);
}

/** Adds the clients to a project with the recommendation service. */
export async function targetIn(project: Project, recommendation: Recommendation, isDev: boolean): Promise<Target> {
  const personalize = await openPersonalize(project.sdk);
  return { ...project, recommendation, personalize, state: await trainingState(project), isDev };
}

/** Opens what the training writes down about itself. */
export async function trainingState({ sdk, names }: Pick<Project, "sdk" | "names">): Promise<TrainingState> {
  const [{ DynamoDBClient }, { dynamoTrainingState }] = await Promise.all([
    import("@aws-sdk/client-dynamodb"),
    import("../../lib/recommendation/training/state.ts"),
  ]);
  return dynamoTrainingState(new DynamoDBClient({ ...sdk, maxAttempts: 1 }), names.table("training"));
}

/** Opens the control plane of Personalize. Works even if the recommendation service is not configured. */
export async function openPersonalize(sdk: SdkConfig): Promise<Personalize> {
  const [{ PersonalizeClient }, { personalizeOf }] = await Promise.all([
    import("@aws-sdk/client-personalize"),
    import("../../lib/personalize/resources/personalize.ts"),
  ]);
  return personalizeOf(new PersonalizeClient({ ...sdk, maxAttempts: 1 }));
}

/** Awaits a call to AWS. Converts errors that the user can fix to Failure. */
export function reading<T>(action: string, work: Promise<T>): Promise<T> {
  return failing(explained(action, work));
}
