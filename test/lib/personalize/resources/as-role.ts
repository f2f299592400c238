import { personalizeManagerPolicy } from "../../../../functions/personalize-manager/policy.ts";
import { trainingPolicy } from "../../../../functions/training/policy.ts";
import type { Personalize } from "../../../../lib/personalize/resources/personalize.ts";
import type { Statement } from "../../../../lib/platform/aws/iam-statement.ts";
import type { Names } from "../../../../lib/platform/naming/names.ts";
import { allows } from "../../../stacks/iam.ts";

/** What the functions' policies allow in Personalize, by the function's name. */
const STATEMENTS = {
  "personalize-manager": (names: Names) =>
    personalizeManagerPolicy({
      ...placeOf(names),
      parameters: ["parameters"],
      trainingTable: "training",
      key: "key",
      logGroup: "log",
    }),
  training: (names: Names) =>
    trainingPolicy({
      ...placeOf(names),
      bucket: "bucket",
      trainingTable: "training",
      ingestionTable: "ingestion",
      campaignParameters: "parameters",
      executions: ["executions"],
      importRole: "role",
      key: "key",
      logGroup: "log",
    }),
} satisfies Record<string, (names: Names) => Statement[]>;

function placeOf(names: Names) {
  const resource = (path: string) => names.arn("personalize", path);
  return { project: names.datasetGroup(), region: "eu-west-1", resource };
}

/**
 * Personalize with a function's permissions: refuses other calls as AWS does, naming the action and the first
 * ARN that the call is about. The stand-in itself knows no roles.
 */
export function asRole(personalize: Personalize, role: keyof typeof STATEMENTS, names: Names): Personalize {
  const policy = STATEMENTS[role](names).map(({ actions, resources }) => ({
    Effect: "Allow" as const,
    Action: [...actions],
    Resource: [...resources],
  }));
  return {
    async send(command) {
      const action = `personalize:${command.constructor.name.replace(/Command$/, "")}`;
      const resource = resourceOf(action, command.input);
      // Resources created by name alone: the tests of the stacks' policies check which names are allowed.
      const allowed =
        resource === undefined
          ? policy.some(({ Action }) => Action.includes(action))
          : allows(policy, { action, resource });
      if (allowed) return personalize.send(command);
      throw Object.assign(new Error(`not authorized to perform: ${action} on resource: ${resource}`), {
        name: "AccessDeniedException",
      });
    },
  };
}

/** Lists belong to the account, except the list of a resource's tags. */
function resourceOf(action: string, input: object): string | undefined {
  if (/:List(?!Tags)/.test(action)) return "*";
  return Object.entries(input).find(([key]) => key.endsWith("Arn"))?.[1];
}
