import * as v from "valibot";
import type { Service, StackName } from "../../lib/platform/naming/names.ts";
import type { TerraformProject } from "../project.ts";
import { bareStacks } from "../state/stacks.ts";
import { pullState } from "../terraform/stack.ts";

/** Terraform increases the serial with every change; without a state it prints an empty one, or nothing. */
const State = v.object({ serial: v.optional(v.number(), 0) });

/** Evidence of stacks that were deployed, even if their state is gone. */
export interface Traces {
  /** Whether the project's bucket existed. */
  bucket: boolean;
  /** Names of the project's parameters. */
  parameters: readonly string[];
}

/**
 * Returns the aliases of keys orphaned because their stack's state is missing, in the order of deployment. A state
 * without resources does not count: Terraform removed its keys.
 */
export async function lostKeyAliases(project: TerraformProject, traces: Traces): Promise<string[]> {
  const { names, runner } = project;
  const deployed = (service: Service) =>
    traces.parameters.some((name) => name.startsWith(`${names.parameterPrefix()}${service}/`));
  const keys: { stack: StackName; alias: string; trace: boolean }[] = [
    { stack: "storage", alias: names.kmsAlias(), trace: traces.bucket },
    { stack: "personalization", alias: names.serviceKmsAlias("personalization"), trace: deployed("recommendation") },
    { stack: "recommendation", alias: names.serviceKmsAlias("recommendation"), trace: deployed("recommendation") },
    { stack: "search-gateway", alias: names.serviceKmsAlias("search-gateway"), trace: deployed("search-gateway") },
  ];
  const suspects = keys.filter(({ trace }) => trace);
  const stacks = await bareStacks(
    project,
    suspects.map(({ stack }) => stack),
  );
  const lost: string[] = [];
  for (const [index, stack] of stacks.entries()) {
    const { serial } = v.parse(State, (await pullState(runner, stack)) ?? {});
    const suspect = suspects[index];
    if (suspect && serial === 0) lost.push(suspect.alias);
  }
  return lost;
}

/** Returns the lines that tell the user how to delete these keys; none if there are none. */
export function lostKeyAdvice(aliases: readonly string[], region: string): string[] {
  if (aliases.length === 0) return [];
  return [
    "Terraform's state for these keys is missing, so they were not deleted. AWS bills an existing key by the month until " +
      "you delete it. For a key that no longer exists these commands answer NotFoundException:",
    ...aliases.flatMap((alias) => [
      `  ${alias}`,
      `    aws kms schedule-key-deletion --region ${region} --pending-window-in-days 30 --key-id ` +
        `"$(aws kms describe-key --region ${region} --key-id ${alias} --query KeyMetadata.KeyId --output text)"`,
      `    aws kms delete-alias --region ${region} --alias-name ${alias}`,
    ]),
  ];
}
