import type { Statement } from "../../../lib/iam/statement.ts";
import type { Personalize } from "../../../lib/personalize-manager/personalize.ts";
import { allows } from "../../stacks/iam.ts";

/**
 * Personalize for a role of these statements: what they do not allow is refused as AWS does it, by the action and the first
 * ARN that the call is about. The stand-in itself knows no roles.
 */
export function asRole(personalize: Personalize, statements: readonly Statement[]): Personalize {
  const policy = statements.map(({ actions, resources }) => ({
    Effect: "Allow" as const,
    Action: [...actions],
    Resource: [...resources],
  }));
  return {
    async send(command) {
      const action = `personalize:${command.constructor.name.replace(/Command$/, "")}`;
      const listed = action.startsWith("personalize:List");
      const [, arn] = Object.entries(command.input).find(([key]) => key.endsWith("Arn")) ?? [];
      const resource = listed || typeof arn !== "string" ? "*" : arn;
      if (allows(policy, { action, resource })) return personalize.send(command);
      throw Object.assign(new Error(`not authorized to perform: ${action} on resource: ${resource}`), {
        name: "AccessDeniedException",
      });
    },
  };
}
