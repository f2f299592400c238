import { readSolutions } from "../../personalize/resources/inventory.ts";
import { describeVersion, type Personalize, StillInProgress } from "../../personalize/resources/personalize.ts";
import type { RecipeKind } from "../../platform/contract/recommendation.ts";
import type { Names } from "../../platform/naming/names.ts";
import type { TrainingState } from "./state.ts";

/**
 * Returns the version for a campaign that must be recreated: the one that training last switched to, or else the
 * newest one that was not held back. Undefined before the first training. Throws StillInProgress while the table's key
 * denies access.
 */
export async function versionToServe(
  personalize: Personalize,
  names: Names,
  state: Pick<TrainingState, "recipe">,
  recipe: RecipeKind,
): Promise<string | undefined> {
  const known = await state.recipe(recipe).catch((error: unknown) => {
    if (!isKeyRefused(error)) throw error;
    throw new StillInProgress("The permission to read the training table", "PENDING");
  });
  const chosen = known?.active?.version;
  if (chosen !== undefined && (await describeVersion(personalize, chosen))?.status === "ACTIVE") return chosen;
  const solutions = await readSolutions(personalize, names);
  const held = new Set(known?.held.map(({ version }) => version));
  const good = solutions
    .filter((solution) => solution.recipe === recipe)
    .flatMap(({ versions }) => versions)
    .filter(({ status, arn }) => status === "ACTIVE" && !held.has(arn));
  return good.toSorted((a, b) => ((a.last_updated ?? "") < (b.last_updated ?? "") ? 1 : -1))[0]?.arn;
}

/**
 * Returns whether the table's key denied access. The manager's permission names the key by its alias, and a new or
 * changed alias may take five minutes to affect permissions. At the first deployment the alias is as new as the table.
 * Source: "ABAC for AWS KMS" and "kms:ResourceAliases", KMS Developer Guide. DynamoDB reports the denial under its own
 * error name or under that of KMS.
 */
function isKeyRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.name === "KMSAccessDeniedException" ||
    (error.name === "AccessDeniedException" && /\bkms\b/i.test(error.message))
  );
}
