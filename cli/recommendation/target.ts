import type { Personalize } from "../../lib/personalize/resources/personalize.ts";
import { UsageError } from "../../lib/platform/failure.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import type { TrainingState } from "../../lib/recommendation/training/state.ts";
import type { Recommendation } from "../../lib/settings/configuration.ts";
import { type Context, confOf } from "../command.ts";
import { readDevFile } from "../dev-file.ts";
import { explained } from "../discovery/explain.ts";
import { accountOf, failing, namesIn, openSession, type Session } from "../session.ts";
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
  sdk: { region: string; endpoint?: string; credentials?: { accessKeyId: string; secretAccessKey: string } };
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
  const { names, sdk } = await openAccount(session, local);
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

/** Returns names and SDK configuration for the AWS account or, if `local`, for the stack of `make dev`. */
export async function openAccount(session: Session, local: boolean): Promise<Pick<Target, "names" | "sdk">> {
  const { account, sdk } = local
    ? await localAccount()
    : { account: await accountOf(session), sdk: { region: session.sdk.region } };
  return { names: namesIn({ ...session, sdk }, account), sdk };
}

/** Opens the control plane of Personalize. Works even if the recommendation service is not configured. */
export async function openPersonalize(sdk: Target["sdk"]): Promise<Personalize> {
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

async function localAccount() {
  const { ACCOUNT_ID, rootOptions } = await import("../../packages/local-aws/cloud/account.ts");
  return { account: ACCOUNT_ID, sdk: rootOptions(readDevFile().aws) };
}
