import { join, resolve } from "node:path";
import { App } from "#cdktf/app";
import type { StackName } from "../lib/platform/naming/names.ts";
import { FiltersStack } from "./filters.ts";
import { FoundationStack } from "./foundation.ts";
import { type StackInput, stackNames } from "./input.ts";
import { PersonalizationStack } from "./personalization.ts";
import type { ProjectStack } from "./project-stack.ts";
import { RecommendationStack } from "./recommendation.ts";
import { SearchGatewayStack } from "./search-gateway.ts";
import { StorageStack } from "./storage.ts";

export interface SynthesisInput extends StackInput {
  /** Default: every stack of the configuration. */
  stacks?: readonly StackName[];
}

/** A synthesized stack. */
export interface SynthesizedStack {
  name: StackName;
  /** Terraform's working folder, with `cdk.tf.json`. */
  directory: string;
}

const STACKS: Readonly<Record<StackName, new (...made: ConstructorParameters<typeof ProjectStack>) => ProjectStack>> = {
  storage: StorageStack,
  personalization: PersonalizationStack,
  filters: FiltersStack,
  foundation: FoundationStack,
  recommendation: RecommendationStack,
  "search-gateway": SearchGatewayStack,
};

/** Makes addresses in plans plain resource names, without stack and hash. */
const CONTEXT = { excludeStackIdFromLogicalIds: "true", allowSepCharsInLogicalIds: "true" };

/** Writes the Terraform files of a configuration's stacks, in the order of deployment. Reads nothing. */
export function synthesize(input: SynthesisInput): SynthesizedStack[] {
  const wanted = stackNames(input.config).filter((name) => input.stacks?.includes(name) ?? true);
  // Its validation would run `terraform version` for each stack, even where OpenTofu is installed instead.
  const app = new App({ outdir: input.outdir, context: CONTEXT, skipValidation: true });
  for (const name of wanted) new STACKS[name](app, name, input);
  app.synth();
  return wanted.map((name) => ({ name, directory: join(resolve(input.outdir), "stacks", name) }));
}
