import * as v from "valibot";
import { AccountId, Text } from "../../lib/platform/environment.ts";

/** The environment of personalize-manager, which the stack sets. All resource names are derived from it. */
export const PersonalizeManagerEnv = v.object({
  PROJECT_NAME: Text,
  ACCOUNT_ID: AccountId,
  /** Set by Lambda itself. */
  AWS_REGION: Text,
  /** Table in which training records what each recipe serves. It may not exist before the first deployment. */
  TRAINING_TABLE: Text,
});

export type PersonalizeManagerEnv = v.InferOutput<typeof PersonalizeManagerEnv>;

/** The environment as the stack writes it. */
export type PersonalizeManagerEnvInput = Omit<v.InferInput<typeof PersonalizeManagerEnv>, "AWS_REGION">;
