import * as v from "valibot";
import { isObject, parseJson } from "../../lib/core/json/values.ts";
import type { StackName } from "../../lib/core/naming/names.ts";
import type { AppliedInputs } from "../discovery/personalize.ts";
import type { Place } from "../session.ts";
import { State } from "../terraform/managed-resources.ts";
import { pullState } from "../terraform/stack.ts";
import { bareStacks } from "./stacks.ts";

const STACKS: readonly StackName[] = ["personalization", "filters", "recommendation"];

/** Reads what Terraform last applied to Personalize resources; empty without a recommendation service. */
export async function readAppliedInputs(place: Place): Promise<AppliedInputs> {
  if (!place.session.config.recommendation) return {};
  const applied: Record<string, unknown> = {};
  for (const stack of await bareStacks(place, STACKS)) {
    Object.assign(applied, appliedInputs(await pullState(place.runner, stack)));
  }
  return applied;
}

/**
 * Returns the inputs of the Lambda invocations in a state, by id. Skips inputs that are not JSON objects: they are not
 * ours.
 */
export function appliedInputs(state: unknown): Record<string, object> {
  if (state === undefined) return {};
  const found = v
    .parse(State, state)
    .resources.filter(({ type }) => type === "aws_lambda_invocation")
    .flatMap(({ name, instances }) =>
      instances
        .filter(({ deposed }) => deposed === undefined)
        .map(({ attributes }) => [name, attributes.input] as const),
    );
  return Object.fromEntries(found.flatMap(([name, text]) => parsed(text).map((input) => [name, input])));
}

function parsed(text: unknown): object[] {
  if (typeof text !== "string") return [];
  const value = parseJson(text);
  return isObject(value) ? [value] : [];
}
