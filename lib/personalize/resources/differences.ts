import type { Dataset } from "../../platform/contract/recommendation.ts";
import { hashOf } from "../../platform/naming/names.ts";
import { type AvroField, type AvroSchema, typesOf } from "../../settings/avro.ts";
import { explores, sameExploration } from "./exploration.ts";
import type { Inventory } from "./inventory.ts";
import { isMoving } from "./managing.ts";
import type { ResourceInput } from "./request.ts";

/**
 * Returns how a resource differs from the last applied input, as a marker for the next plan; undefined if it does not,
 * or if training is responsible for the difference.
 */
export function differenceOf(input: ResourceInput, inventory: Inventory): string | undefined {
  switch (input.kind) {
    case "dataset_group":
      return stateOf(inventory.dataset_group);
    case "schema": {
      // The inventory contains only schemas that a dataset uses.
      const used = inventory.datasets.find(({ schema_arn }) => schema_arn.endsWith(`/${input.name}`));
      if (!used) return "no dataset uses it";
      return hashOf(used.schema) === hashOf(input.schema) ? undefined : "its content differs";
    }
    case "dataset": {
      const found = inventory.datasets.find(({ dataset }) => dataset === input.dataset);
      const problem = stateOf(found);
      if (problem !== undefined || !found) return problem;
      return found.schema_arn.endsWith(`/${input.schema}`) ? undefined : `its schema is ${found.schema_arn}`;
    }
    case "event_tracker":
      return stateOf(inventory.event_tracker);
    case "filter": {
      const found = inventory.filters.find(({ name }) => name === input.name);
      const problem = stateOf(found);
      if (problem !== undefined || !found) return problem;
      return found.expression === input.expression ? undefined : `its expression is ${found.expression}`;
    }
    case "campaign": {
      const found = inventory.campaigns.find(({ recipe }) => recipe === input.recipe);
      // No campaign is expected before the first training, which leaves an active version of the recipe.
      const trained = inventory.solutions.some(
        ({ recipe, versions }) => recipe === input.recipe && versions.some(({ status }) => status === "ACTIVE"),
      );
      if (!found) return trained ? "it does not exist" : undefined;
      // A training is creating it. During an update to another version it stays ACTIVE with its current TPS.
      const coming = isMoving(found.status) && found.status.startsWith("CREATE");
      const problem = coming ? undefined : stateOf(found);
      if (problem !== undefined) return problem;
      const wanted = input.min_provisioned_tps;
      if (found.min_provisioned_tps !== wanted) return `its TPS are ${found.min_provisioned_tps}`;
      // Until the next training, a campaign may serve a recipe that does not explore.
      const solution = inventory.solutions.find(({ arn }) => found.solution_version_arn.startsWith(`${arn}/`));
      if (!explores(solution?.recipe_arn) || sameExploration(found.exploration, input.exploration)) return undefined;
      return `its exploration is ${JSON.stringify(found.exploration ?? {})}`;
    }
  }
}

function stateOf(found: { status: string } | null | undefined): string | undefined {
  if (!found) return "it does not exist";
  return found.status === "ACTIVE" ? undefined : `it is ${found.status}`;
}

/**
 * Returns why a dataset cannot change to another schema, one reason each; an empty list if it can. Existing fields must
 * keep their types and attributes, new ones must be nullable, and the schema of interactions cannot change at all.
 * Source: "Replacing a dataset's schema to add new columns", Amazon Personalize Developer Guide.
 */
export function schemaChangeProblems(
  dataset: Dataset,
  before: Pick<AvroSchema, "fields">,
  after: Pick<AvroSchema, "fields">,
): string[] {
  const kept = new Map(after.fields.map((field) => [field.name, field]));
  const known = new Set(before.fields.map(({ name }) => name));
  const added = after.fields.filter(({ name }) => !known.has(name));
  const changes = [
    ...before.fields.flatMap((field) => lossOf(field, kept.get(field.name))),
    ...(dataset === "interaction" ? added.map(({ name }) => `${name} is new`) : added.flatMap(refusalOf)),
  ];
  if (changes.length > 0) return changes;
  const moved = before.fields.some(({ name }, index) => after.fields[index]?.name !== name);
  return dataset === "interaction" && moved ? ["the fields are in another order"] : [];
}

function lossOf(field: AvroField, now: AvroField | undefined): string[] {
  const { name } = field;
  if (!now) return [`${name} is gone`];
  const old = typesOf(field).join(" or ");
  const types = typesOf(now).join(" or ");
  if (old !== types) return [`${name} was ${old} and is ${types}`];
  return (["categorical", "textual"] as const)
    .filter((attribute) => (field[attribute] ?? false) !== (now[attribute] ?? false))
    .map((attribute) => `${name} ${now[attribute] ? "is now" : "is no longer"} ${attribute}`);
}

function refusalOf(field: AvroField): string[] {
  return typesOf(field).includes("null") ? [] : [`the new ${field.name} may not be null, and what is stored lacks it`];
}
