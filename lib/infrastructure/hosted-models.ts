import type { Names } from "../core/naming/names.ts";

/** The part of an inference profile's id before that of its model: the regions that it may send a call to. */
const PROFILE = /^(us|us-gov|eu|apac|jp|au|global)\./;

/** Returns what a caller of a model on Bedrock invokes: the model in its region, or a profile and its model in all of its. */
export function hostedModelArns(id: string, names: Pick<Names, "arn" | "partition">, region: string): string[] {
  const model = (region: string) =>
    `arn:${names.partition()}:bedrock:${region}::foundation-model/${id.replace(PROFILE, "")}`;
  return PROFILE.test(id) ? [names.arn("bedrock", `inference-profile/${id}`), model("*")] : [model(region)];
}
