import type { Statement } from "../../lib/platform/aws/iam-statement.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";

/**
 * Returns the KMS keys that the deployer may use: `aws.kms_key_arn`, or all, because the ids of the project's own keys are
 * not known and their aliases take minutes to work.
 */
export const keysOf = ({ aws }: Configuration["project"]) => [aws.kms_key_arn ?? "*"];

/** Returns a statement with each action once, and only with resources of the services of its actions. */
export function statement(sid: string, actions: readonly string[], resources: readonly string[]): Statement {
  const sorted = [...new Set(actions)].sort();
  const services = new Set(sorted.map((action) => action.split(":")[0]));
  const kept = resources.filter((arn) => arn === "*" || services.has(arn.split(":")[2]));
  return { sid, actions: sorted, resources: [...new Set(kept)].sort() };
}

/** Returns whether a statement allows anything. */
export const isNeeded = ({ actions, resources }: Statement): boolean => actions.length > 0 && resources.length > 0;
