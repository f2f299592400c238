import { recommendationFunctions } from "../../lib/infrastructure/functions.ts";
import { recommendationInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";

/** Returns memory, time limits and environments of the recommendation service's functions. */
export function functionValues({ names, input }: ProjectStack) {
  const { personalize } = recommendationInput(input);
  return recommendationFunctions({
    names,
    project: input.config.project.project_name,
    account: input.discovery.account,
    personalize,
    bufferSeconds: personalize.event_buffer_seconds,
  });
}
