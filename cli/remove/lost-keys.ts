import * as v from "valibot";
import type { Names, Service, StackName } from "../../lib/core/naming/names.ts";
import type { Session } from "../session.ts";
import { pullState, type Runner } from "../terraform/stack.ts";
import { bareStacks } from "./removal.ts";

/** Every change counts; Terraform pulls an empty one where there is none, or nothing at all. */
const State = v.object({ serial: v.optional(v.number(), 0) });

/** What shows that stacks were deployed, whose state is gone. */
export interface Traces {
  /** The project's bucket was there. */
  bucket: boolean;
  /** Names of the project's parameters. */
  parameters: readonly string[];
}

/**
 * Aliases of the keys of stacks that were deployed and that Terraform has no state of: it has never removed them, and
 * cannot. A state without resources is no loss: what was in it has been removed. Sorted as stacks are deployed.
 */
export async function lostKeyAliases(
  session: Session,
  runner: Runner,
  account: string,
  { names, traces }: { names: Names; traces: Traces },
): Promise<string[]> {
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
    session,
    runner,
    account,
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

/** What to do about them, for the terminal; no lines without any. */
export function lostKeyAdvice(aliases: readonly string[], region: string): string[] {
  if (aliases.length === 0) return [];
  return [
    "Terraform's state of these keys is lost, so they were not deleted here. One that is still there is billed by the " +
      "month until you delete it; of one that is gone these commands say NotFoundException:",
    ...aliases.flatMap((alias) => [
      `  ${alias}`,
      `    aws kms schedule-key-deletion --region ${region} --pending-window-in-days 30 --key-id ` +
        `"$(aws kms describe-key --region ${region} --key-id ${alias} --query KeyMetadata.KeyId --output text)"`,
      `    aws kms delete-alias --region ${region} --alias-name ${alias}`,
    ]),
  ];
}
