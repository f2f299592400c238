import type { Personalize } from "../../lib/personalize/resources/personalize.ts";
import { UsageError } from "../../lib/platform/failure.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import type { TrainingState } from "../../lib/recommendation/training/state.ts";
import type { Recommendation } from "../../lib/settings/configuration.ts";
import { type Context, confOf } from "../command.ts";
import { explained } from "../discovery/explain.ts";
import type { SdkConfig } from "../discovery/sdk/config.ts";
import { failing, inAccount, openSession } from "../project.ts";
import type { Terminal } from "../terminal.ts";

/** The options of commands that read from Personalize. */
export interface TargetOptions {
  conf: string;
  /** Whether to use the stack of `make dev` instead of AWS. */
  local: boolean;
}

/** The settings and clients of those commands, for the AWS account or the stack of `make dev`. */
export interface Target {
  recommendation: Recommendation;
  names: Names;
  personalize: Personalize;
  state: TrainingState;
  /** The configuration for SDK clients. */
  sdk: SdkConfig;
  local: boolean;
  terminal: Terminal;
}

/**
 * Opens the account or the local stack. Throws ConfigurationError, UsageError or Failure; the message says what to do.
 */
export async function openTarget(options: TargetOptions, context: Context): Promise<Target> {
  const { local } = options;
  const session = await openSession(confOf(options), context);
  const { recommendation } = session.config;
  if (!recommendation) {
    throw new UsageError("project.yaml has no section personalize: there is no recommendation service in this project");
  }
  const { names, sdk } = await inAccount(session, local);
  const [{ DynamoDBClient }, { dynamoTrainingState }] = await Promise.all([
    import("@aws-sdk/client-dynamodb"),
    import("../../lib/recommendation/training/state.ts"),
  ]);
  return {
    recommendation,
    names,
    personalize: await openPersonalize(sdk),
    state: dynamoTrainingState(new DynamoDBClient({ ...sdk, maxAttempts: 1 }), names.table("training")),
    sdk,
    local,
    terminal: context.terminal,
  };
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
