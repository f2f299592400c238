import { RECIPE_KINDS } from "../../lib/config/recipes.ts";
import { readInventory } from "../../lib/personalize/resources/inventory.ts";
import type { ProjectStatus } from "./status-text.ts";
import { reading, type Target } from "./target.ts";

/** The training that has the lock, and whether its execution is alive; null when none has it. */
export async function readTraining({ state, sdk }: Target): Promise<ProjectStatus["training"]> {
  const lock = await reading("dynamodb:GetItem", state.lock());
  if (!lock) return null;
  const [{ SFNClient }, { sfnExecutions }] = await Promise.all([
    import("@aws-sdk/client-sfn"),
    import("../../lib/recommendation/training/sfn-executions.ts"),
  ]);
  const executions = sfnExecutions(new SFNClient({ ...sdk, maxAttempts: 1 }));
  const running = await reading("states:DescribeExecution", executions.isRunning(lock.execution));
  return { ...lock, running };
}

/** All that `status` shows. */
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
