import * as v from "valibot";
import { ARN, text, whole } from "../members.ts";
import { type Parameter, RECIPES, type Recipe, recipeArn } from "../recipes.ts";
import { ServiceError } from "../service-error.ts";
import { type Operation, operation } from "./operation.ts";

/** A fixed creation date, the same for all built-in recipes. */
const MADE = { creationDateTime: 1_542_873_600, lastUpdatedDateTime: 1_542_873_600 };

const algorithmArn = (recipe: Recipe) => `arn:aws:personalize:::algorithm/${recipe.name}`;
const featureArn = (recipe: Recipe) => `arn:aws:personalize:::feature-transformation/${recipe.name}`;
const defaults = (parameters: Readonly<Record<string, Parameter>>) =>
  Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [name, parameter.default]));

function found(recipe: Recipe | undefined, arn: string): Recipe {
  if (recipe) return recipe;
  throw new ServiceError("ResourceNotFoundException", `${arn} does not exist in the local Personalize.`);
}

/** The operations on built-in recipes and on the algorithms and feature transformations with their hyperparameters. */
export const RECIPE_OPERATIONS: Readonly<Record<string, Operation>> = {
  ListRecipes: operation(
    v.strictObject({
      recipeProvider: v.optional(v.picklist(["SERVICE"])),
      domain: v.optional(v.picklist(["ECOMMERCE", "VIDEO_ON_DEMAND"])),
      nextToken: v.optional(text(1500)),
      maxResults: v.optional(whole(1, 100)),
    }),
    ({ domain, nextToken, maxResults = 100 }) => {
      const start = Number(nextToken ?? 0);
      if (!Number.isInteger(start) || start < 0) {
        throw new ServiceError("InvalidNextTokenException", `Invalid nextToken: ${nextToken}`);
      }
      const known = domain ? [] : RECIPES;
      const recipes = known
        .slice(start, start + maxResults)
        .map(({ name }) => ({ name, recipeArn: recipeArn(name), status: "ACTIVE", ...MADE }));
      return { recipes, ...(start + maxResults < known.length && { nextToken: String(start + maxResults) }) };
    },
  ),
  DescribeRecipe: operation(v.strictObject({ recipeArn: ARN }), (input) => {
    const recipe = found(
      RECIPES.find(({ name }) => recipeArn(name) === input.recipeArn),
      input.recipeArn,
    );
    return {
      recipe: {
        name: recipe.name,
        recipeArn: input.recipeArn,
        algorithmArn: algorithmArn(recipe),
        featureTransformationArn: featureArn(recipe),
        status: "ACTIVE",
        description: recipe.description,
        recipeType: recipe.type,
        ...MADE,
      },
    };
  }),
  DescribeAlgorithm: operation(v.strictObject({ algorithmArn: ARN }), (input) => {
    const recipe = found(
      RECIPES.find((candidate) => algorithmArn(candidate) === input.algorithmArn),
      input.algorithmArn,
    );
    const ranges = (kind: Parameter["kind"]) =>
      Object.entries(recipe.algorithm).flatMap(([name, parameter]) => {
        const [minValue, maxValue] = parameter.range ?? [];
        return parameter.kind === kind ? [{ name, minValue, maxValue, isTunable: true }] : [];
      });
    return {
      algorithm: {
        name: recipe.name,
        algorithmArn: input.algorithmArn,
        defaultHyperParameters: defaults(recipe.algorithm),
        defaultHyperParameterRanges: {
          integerHyperParameterRanges: ranges("integer"),
          continuousHyperParameterRanges: ranges("continuous"),
        },
        ...MADE,
      },
    };
  }),
  DescribeFeatureTransformation: operation(v.strictObject({ featureTransformationArn: ARN }), (input) => {
    const recipe = found(
      RECIPES.find((candidate) => featureArn(candidate) === input.featureTransformationArn),
      input.featureTransformationArn,
    );
    return {
      featureTransformation: {
        name: recipe.name,
        featureTransformationArn: input.featureTransformationArn,
        defaultParameters: defaults(recipe.featurization),
        status: "ACTIVE",
        ...MADE,
      },
    };
  }),
};
