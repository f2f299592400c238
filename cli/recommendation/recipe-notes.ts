import { describeCampaign } from "../../lib/personalize/resources/campaign.ts";
import { describeVersion, type Personalize } from "../../lib/personalize/resources/personalize.ts";
import { RECIPE_KINDS } from "../../lib/platform/contract/recommendation.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { recipeOf } from "../../lib/settings/campaign-settings.ts";
import type { Recommendation } from "../../lib/settings/configuration.ts";
import type { Project } from "../project.ts";
import { openPersonalize, reading } from "./target.ts";

/** Returns notes for the plan on recipes that solution.yaml does not name: what chose them, and what they replace. */
export async function recipeNotes({ sdk, config, names }: Project): Promise<string[]> {
  const { recommendation } = config;
  if (!recommendation) return [];
  const personalize = await openPersonalize(sdk);
  return reading("personalize:Describe*", chosenRecipeNotes(recommendation, personalize, names));
}

/** The same, over a client. */
export async function chosenRecipeNotes(
  recommendation: Pick<Recommendation, "solution" | "campaigns">,
  personalize: Personalize,
  names: Names,
): Promise<string[]> {
  const notes: string[] = [];
  for (const kind of RECIPE_KINDS) {
    const settings = recommendation.solution.recipes[kind];
    if (!settings || settings.recipe_name !== undefined) continue;
    const { name, because } = recipeOf(recommendation, kind);
    if (because !== undefined) notes.push(`${kind} is trained with ${name}: only that recipe has ${because}`);
    const { solutionVersionArn } = (await describeCampaign(personalize, names.campaignArn(kind))) ?? {};
    const version =
      solutionVersionArn === undefined ? undefined : await describeVersion(personalize, solutionVersionArn);
    const served = version?.recipeArn?.split("/").at(-1);
    if (served === undefined || served === name) continue;
    notes.push(
      `${kind}: the next training replaces ${served} by ${name}. To keep it, write recipe_name: ${served} into solution.yaml`,
    );
  }
  return notes;
}
