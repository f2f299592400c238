import { type AttributeChange, attributeChanges } from "./attributes.ts";
import { type IdleCost, idleCosts, interfaceEndpoints } from "./idle-costs.ts";
import type { Action, PlanJson, ResourceChange } from "./plan-json.ts";
import { type Risk, riskOf } from "./risks.ts";
import { rolledBackNotes } from "./rolled-back.ts";

/** A resource that changes. */
export interface PlannedChange {
  /** Such as `aws_lambda_function.api-router`. */
  address: string;
  action: Action;
  /** The changed attributes; empty if the resource is created or deleted. */
  attributes: AttributeChange[];
  risk?: Risk;
}

/** A stack's part of a plan. */
export interface StackSummary {
  stack: string;
  changes: PlannedChange[];
}

/** The plan of all stacks, for people. */
export interface PlanSummary {
  stacks: StackSummary[];
  counts: Record<Action, number>;
  /** Whether applying changes anything; changed outputs count too. */
  changes: boolean;
  idleCosts: IdleCost[];
  interfaceEndpoints: { endpoints: number; interfaces: number };
  /** Other notes for the reader. */
  notes: string[];
}

/** Summarizes the plans of stacks, in the given order. */
export function summarize(plans: readonly { stack: string; plan: PlanJson }[], notes: readonly string[]): PlanSummary {
  const stacks = plans.map(({ stack, plan }) => ({ stack, changes: changesOf(plan) }));
  const counts = { create: 0, update: 0, replace: 0, delete: 0, forget: 0, import: 0 };
  for (const { action } of stacks.flatMap(({ changes }) => changes)) counts[action] += 1;
  const json = plans.map(({ plan }) => plan);
  return {
    stacks,
    counts,
    changes: Object.values(counts).some((count) => count > 0) || json.some(changesOutputs),
    idleCosts: idleCosts(json),
    interfaceEndpoints: interfaceEndpoints(json),
    notes: [...notes, ...json.flatMap(rolledBackNotes)],
  };
}

function changesOutputs({ output_changes = {} }: PlanJson): boolean {
  return Object.values(output_changes).some(({ actions }) => !actions.includes("no-op"));
}

function changesOf(plan: PlanJson): PlannedChange[] {
  const managed = (plan.resource_changes ?? []).filter(({ mode }) => mode === "managed");
  return managed.flatMap((resource) => {
    const action = actionOf(resource);
    if (action === undefined) return [];
    const { change, address } = resource;
    const risk = riskOf(resource, action);
    const attributes = action === "update" || action === "replace" ? attributeChanges(change) : [];
    return [{ address, action, attributes, ...(risk && { risk }) }];
  });
}

function actionOf({ change: { actions, importing } }: ResourceChange): Action | undefined {
  const has = (action: string) => actions.includes(action);
  if (has("create") && (has("delete") || has("forget"))) return "replace";
  if (has("forget")) return "forget";
  if (importing) return "import";
  if (has("create")) return "create";
  if (has("update")) return "update";
  if (has("delete")) return "delete";
  return undefined;
}
