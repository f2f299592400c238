import * as v from "valibot";

const Input = v.object({
  kind: v.string(),
  name: v.optional(v.string(), ""),
  min_provisioned_tps: v.optional(v.number()),
});

/** The input of personalize-manager, as far as plans need it. */
export type PersonalizeInput = v.InferOutput<typeof Input>;

const Values = v.object({ input: v.pipe(v.string(), v.parseJson(), Input) });

/** Returns the Personalize resource that an `aws_lambda_invocation` stands for; undefined for any other invocation. */
export function personalizeInput(values: unknown): PersonalizeInput | undefined {
  const parsed = v.safeParse(Values, values);
  return parsed.success ? parsed.output.input : undefined;
}
