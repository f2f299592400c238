import type { Statement } from "../../lib/platform/aws/iam-statement.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { PROJECT_TAG } from "../../lib/platform/naming/tags.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";

/**
 * Returns the KMS keys that the deployer may use: `aws.kms_key_arn`, or those with the tag of the project, because the ids of its
 * own keys are not known and their aliases take minutes to work.
 */
export function keysOf({ aws, project_name }: Configuration["project"], names: Names) {
  if (aws.kms_key_arn !== undefined) return { resources: [aws.kms_key_arn] };
  const conditions = { StringEquals: { [`aws:ResourceTag/${PROJECT_TAG}`]: project_name } };
  return { resources: [names.arn("kms", "key/*")], conditions };
}

/** Returns a statement with each action once, and only with resources of the services of its actions. */
export function statement(sid: string, actions: readonly string[], resources: readonly string[]): Statement {
  const sorted = [...new Set(actions)].sort();
  const services = new Set(sorted.map((action) => action.split(":")[0]));
  const kept = resources.filter((arn) => arn === "*" || services.has(arn.split(":")[2]));
  return { sid, actions: sorted, resources: [...new Set(kept)].sort() };
}

/** Returns whether a statement allows anything. */
export const isNeeded = ({ actions, resources }: Statement): boolean => actions.length > 0 && resources.length > 0;
