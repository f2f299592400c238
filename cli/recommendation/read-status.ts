import { RECIPE_KINDS } from "../../lib/config/recipes.ts";
import { readInventory } from "../../lib/personalize/resources/inventory.ts";
import { reasonOf } from "./follow-execution.ts";
import type { ProjectStatus } from "./status-text.ts";
import { reading, type Target } from "./target.ts";

/**
 * Returns the run that holds the training lock, and whether it is running or why it failed. Null if no run holds it.
 */
export async function readTraining({ state, sdk }: Target): Promise<ProjectStatus["training"]> {
  const lock = await reading("dynamodb:GetItem", state.lock());
  if (!lock) return null;
  const { DescribeExecutionCommand, SFNClient } = await import("@aws-sdk/client-sfn");
  const command = new DescribeExecutionCommand({ executionArn: lock.execution });
  const sfn = new SFNClient({ ...sdk, maxAttempts: 6 });
  const found = await reading("states:DescribeExecution", ifExecution(sfn.send(command)));
  if (found?.status === "RUNNING" || found?.status === "PENDING_REDRIVE") return { ...lock, running: true };
  return { ...lock, running: false, failure_reason: found ? reasonOf(found) : "Step Functions no longer knows it" };
}

/**
 * Returns undefined for a deleted execution. AWS deletes executions after 90 days, the local stack when it is reset.
 */
async function ifExecution<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Error && error.name === "ExecutionDoesNotExist") return undefined;
    throw error;
  }
}

/** Reads everything that `status` shows. */
export async function readStatus(target: Target): Promise<ProjectStatus> {
  const { personalize, names, state } = target;
  const [inventory, training, held] = await Promise.all([
    reading("personalize:Describe*", readInventory(personalize, names, { metrics: true })),
    readTraining(target),
    Promise.all(
      RECIPE_KINDS.map(async (recipe) => {
        const known = await reading("dynamodb:GetItem", state.recipe(recipe));
        return [recipe, known?.held ?? []] as const;
      }),
    ),
  ]);
  return { ...inventory, training, held: Object.fromEntries(held.filter(([, versions]) => versions.length > 0)) };
}
