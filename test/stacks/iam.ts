// The part of IAM's evaluation that the stacks' policies need. Source: "Policy evaluation logic", IAM User Guide.
import type { Stack } from "./support.ts";

interface Statement {
  Effect: "Allow" | "Deny";
  Action: string | string[];
  Resource: string | string[];
  Condition?: Record<string, Record<string, string | string[]>>;
}

/** A call that a role may or may not make. */
export interface Call {
  action: string;
  resource: string;
  /** Condition keys and their values. */
  context?: Readonly<Record<string, string | readonly string[]>>;
}

export const ACCOUNT = "123456789012";
export const arn = (service: string, resource: string) => `arn:aws:${service}:eu-west-1:${ACCOUNT}:${resource}`;
export const call = (action: string, resource: string, context?: Call["context"]): Call => ({
  ...{ action, resource, ...(context && { context }) },
});

/** Returns the statements of a role's policies; a policy names its role by reference. */
export function statementsOf(stack: Stack, roleId: string): Statement[] {
  return stack
    .ids("aws_iam_role_policy")
    .map((id) => stack.resource<{ role: string; policy: string }>("aws_iam_role_policy", id))
    .filter(({ role }) => role === `\${aws_iam_role.${roleId}.name}`)
    .flatMap(({ policy }) => JSON.parse(policy).Statement as Statement[]);
}

/** Returns whether a role may make a call: denied unless allowed, and a deny overrides every allow. */
export function allows(statements: readonly Statement[], call: Call): boolean {
  const matching = statements.filter((statement) => applies(statement, call));
  return matching.some(({ Effect }) => Effect === "Allow") && !matching.some(({ Effect }) => Effect === "Deny");
}

function applies({ Action, Resource, Condition = {} }: Statement, { action, resource, context = {} }: Call): boolean {
  return (
    list(Action).some((pattern) => like(pattern.toLowerCase(), action.toLowerCase())) &&
    list(Resource).some((pattern) => like(pattern, resource)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) => holds(operator, list(wanted), context[key])),
    )
  );
}

function holds(operator: string, wanted: readonly string[], given: string | readonly string[] | undefined): boolean {
  if (given === undefined) return false;
  const values = list(given);
  switch (operator) {
    case "StringEquals":
    case "ForAnyValue:StringEquals":
      return values.some((value) => wanted.includes(value));
    case "StringLike":
    case "ArnEquals":
    case "ArnLike":
      return values.some((value) => wanted.some((pattern) => like(pattern, value)));
    default:
      throw new Error(`the evaluator does not know the condition ${operator}`);
  }
}

function like(pattern: string, text: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${expression}$`, "s").test(text);
}

const list = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);
