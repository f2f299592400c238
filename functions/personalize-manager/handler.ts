import * as v from "valibot";
import { type Inventory, readInventory } from "../../lib/personalize/resources/inventory.ts";
import { manage } from "../../lib/personalize/resources/manage.ts";
import { type Patience, type PointerStore, patienceOf } from "../../lib/personalize/resources/managing.ts";
import { ManagerError, type Personalize } from "../../lib/personalize/resources/personalize.ts";
import { ResourceInput, type ResourceState, Terraform } from "../../lib/personalize/resources/request.ts";
import type { RecipeKind } from "../../lib/platform/contract/recommendation.ts";
import { isObject } from "../../lib/platform/json/values.ts";
import { type Names, namesOf } from "../../lib/platform/naming/names.ts";
import { type Deadline, deadlineIn, type Invocation } from "../../lib/platform/resilience/deadline.ts";
import type { PersonalizeManagerEnv } from "./env.ts";

/** The services that personalize-manager calls. */
export interface PersonalizeManagerClients {
  personalize: Personalize;
  pointers: PointerStore;
  /** Returns the solution version that a recipe's campaign should serve, or undefined before the first training. */
  versionFor(names: Names, recipe: RecipeKind): Promise<string | undefined>;
}

/** Milliseconds reserved for the answer and for Lambda itself. */
const MARGIN_MS = 3_000;

const Describe = v.strictObject({ action: v.literal("describe"), metrics: v.optional(v.boolean(), false) });

/**
 * Returns a handler that manages one resource of Personalize per call. Terraform calls it through
 * `aws_lambda_invocation` with lifecycle scope CRUD, with the event `{...input, tf: {action, prev_input}}`. The event
 * `{action: "describe"}` returns everything that the project has in Personalize.
 *
 * @param clientsUntil Returns clients whose calls time out at the deadline of an invocation.
 */
export function createHandler(
  env: PersonalizeManagerEnv,
  clientsUntil: (deadline: Deadline) => PersonalizeManagerClients,
  patience: (context: Invocation) => Patience = (context) => patienceOf(context),
) {
  const names = namesOf({ project: env.PROJECT_NAME, account: env.ACCOUNT_ID, region: env.AWS_REGION });
  return async (event: unknown, context: Invocation): Promise<ResourceState | Inventory> => {
    // Calls end before the invocation does. When Lambda times out, nothing says what was in progress.
    const deadline = deadlineIn(context.getRemainingTimeInMillis() - MARGIN_MS);
    const { personalize, pointers, versionFor } = clientsUntil(deadline);
    const asked = v.safeParse(Describe, event);
    if (asked.success) return readInventory(personalize, names, { metrics: asked.output.metrics });
    const { tf, ...given } = parse(v.looseObject({ tf: Terraform }), event, "what Terraform's invocations send");
    const input = parse(ResourceInput, given, "the desired state of a resource");
    const before = v.safeParse(ResourceInput, withoutTerraform(tf.prev_input));
    return manage(
      { personalize, pointers, names, patience: patience(context), versionFor: (recipe) => versionFor(names, recipe) },
      tf.action,
      input,
      // Terraform stores an input as applied even if this function refused it, so an invalid previous one is ignored.
      before.success ? before.output : undefined,
    );
  };
}

function parse<T>(schema: v.GenericSchema<unknown, T>, value: unknown, what: string): T {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  throw new ManagerError(`The event is not ${what}: ${v.summarize(parsed.issues)}`);
}

function withoutTerraform(input: unknown): unknown {
  if (!isObject(input)) return undefined;
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== "tf"));
}
