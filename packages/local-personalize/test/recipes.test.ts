import type { RecipeKind } from "@relevance/lib/platform/contract/recommendation.ts";
import { RECIPES, type RecipeParameter } from "@relevance/lib/settings/recipes.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { RECIPES as LOCAL, type RecipeType } from "../recipes.ts";

const test = suite("local Personalize: recipes");

const TYPES: Readonly<Record<RecipeKind, RecipeType>> = {
  user_personalization: "USER_PERSONALIZATION",
  similar_items: "RELATED_ITEMS",
  personalized_ranking: "PERSONALIZED_RANKING",
};

const GROUPS = { algorithmHyperParameters: "algorithm", featureTransformationParameters: "featurization" } as const;

/** Returns a line for a recipe, and one for each of its parameters with its limits. */
const lines = (name: string, type: RecipeType, parameters: readonly string[]) => [
  `${name}: ${type}`,
  ...parameters.map((parameter) => `${name} ${parameter}`),
];

const configured = Object.entries(RECIPES).flatMap(([name, { kind, parameters }]) => {
  const all = Object.entries<RecipeParameter>(parameters).map(([parameter, { goesTo, min, max, values }]) =>
    [GROUPS[goesTo], parameter, ...(values ?? [min, max])].join(" "),
  );
  return lines(name, TYPES[kind], all);
});

const trained = LOCAL.flatMap((recipe) => {
  const all = Object.values(GROUPS).flatMap((group) =>
    Object.entries(recipe[group]).map(([parameter, { range = [undefined, undefined], values }]) =>
      [group, parameter, ...(values ?? range)].join(" "),
    ),
  );
  return lines(recipe.name, recipe.type, all);
});

test("each recipe of solution.yaml is known, with the same parameters and limits", () => {
  const unknown = configured.filter((line) => !trained.includes(line));
  const unused = trained.filter((line) => !configured.includes(line));
  assert.equal({ unknown, unused }, { unknown: [], unused: [] });
});

test.run();
