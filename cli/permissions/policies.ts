import type { StackResources } from "../../lib/infrastructure/stack-resources.ts";
import { policyDocument, type Statement } from "../../lib/platform/aws/iam-statement.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { type Grants, grantsOf } from "./grants.ts";

/** Characters that fit a managed policy, without white space. Source: "IAM and AWS STS quotas". */
export const MAX_CHARACTERS = 6_144;

/** A managed policy to create and attach. */
export interface Policy {
  /** Policies of an account need different names in all regions. */
  name: string;
  /** The command that needs it; `deploy` also needs the policies of `plan`. */
  work: keyof Grants;
  /** JSON without white space. */
  document: string;
}

/** Returns the policies for a configuration, whose stacks are given, each short enough for IAM. */
export function policiesOf(config: Configuration, names: Names, stacks: readonly StackResources[]): Policy[] {
  const { project_name, aws } = config.project;
  return Object.entries(grantsOf(config, names, stacks)).flatMap(([work, statements]) =>
    packed(statements).map((document, index) => ({
      name: [project_name, work, ...(index === 0 ? [] : [index + 1]), aws.region_name].join("-"),
      work: work as keyof Grants,
      document,
    })),
  );
}

/** Returns the length of a policy as IAM counts it. */
export const charactersOf = (document: string): number => document.replaceAll(/\s/g, "").length;

/** Puts each statement into the first policy with room for it. */
function packed(statements: readonly Statement[]): string[] {
  const policies: Statement[][] = [];
  for (const one of statements) {
    const fitting = policies.find((others) => charactersOf(policyDocument([...others, one])) <= MAX_CHARACTERS);
    if (fitting) fitting.push(one);
    else policies.push([one]);
  }
  return policies.map((one) => policyDocument(one));
}
