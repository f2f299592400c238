import * as v from "valibot";

const Text = v.pipe(v.string(), v.nonEmpty());

/** The environment of personalize-manager; the stack fills it. Names of all resources follow from it. */
export const PersonalizeManagerEnv = v.object({
  PROJECT_NAME: Text,
  ACCOUNT_ID: v.pipe(v.string(), v.regex(/^\d{12}$/)),
  /** Lambda sets it itself. */
  AWS_REGION: Text,
  /** Table in which training keeps what each recipe serves. It may be missing before the first deployment. */
  TRAINING_TABLE: Text,
});

export type PersonalizeManagerEnv = v.InferOutput<typeof PersonalizeManagerEnv>;

/** What the stack must put into the function's environment. */
export type PersonalizeManagerEnvInput = Omit<v.InferInput<typeof PersonalizeManagerEnv>, "AWS_REGION">;
