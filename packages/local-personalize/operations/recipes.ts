import * as v from "valibot";
import { ARN, PAGE } from "../members.ts";
import { type Parameter, RECIPES, type Recipe, recipeArn } from "../recipes.ts";
import { ServiceError } from "../service-error.ts";
import { type Operation, operation, page } from "./operation.ts";

/** A fixed creation date, the same for all built-in recipes. */
const MADE = { creationDateTime: 1_542_873_600, lastUpdatedDateTime: 1_542_873_600 };

const partArn = (part: string, { name }: Recipe) => `arn:aws:personalize:::${part}/${name}`;
const defaults = (parameters: Readonly<Record<string, Parameter>>) =>
  Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [name, parameter.default]));

/** Creates an operation that describes a recipe or one of its parts. `part` is the part's name in ARNs. */
function describing(member: string, part: string, describe: (recipe: Recipe) => object): Operation {
  const key = `${member}Arn`;
  return operation(v.strictObject({ [key]: ARN }), (input) => {
    const arn = input[key];
    const recipe = RECIPES.find((candidate) => partArn(part, candidate) === arn);
    if (!recipe) {
      throw new ServiceError("ResourceNotFoundException", `${arn} does not exist in the local Personalize.`);
    }
    return { [member]: { name: recipe.name, [key]: arn, ...describe(recipe), ...MADE } };
  });
}

/** The operations on built-in recipes, algorithms, and feature transformations with their hyperparameters. */
export const RECIPE_OPERATIONS: Readonly<Record<string, Operation>> = {
  ListRecipes: operation(
    v.strictObject({
      recipeProvider: v.optional(v.picklist(["SERVICE"])),
      domain: v.optional(v.picklist(["ECOMMERCE", "VIDEO_ON_DEMAND"])),
      ...PAGE,
    }),
    ({ domain, ...input }) => {
      const known = domain ? [] : RECIPES.map(({ name }, index) => ({ name, sequence: index + 1 }));
      const { shown, next } = page(known, input);
      const recipes = shown.map(({ name }) => ({ name, recipeArn: recipeArn(name), status: "ACTIVE", ...MADE }));
      return { recipes, ...next };
    },
  ),
  DescribeRecipe: describing("recipe", "recipe", (recipe) => ({
    algorithmArn: partArn("algorithm", recipe),
    featureTransformationArn: partArn("feature-transformation", recipe),
    status: "ACTIVE",
    description: recipe.description,
    recipeType: recipe.type,
  })),
  DescribeAlgorithm: describing("algorithm", "algorithm", ({ algorithm }) => {
    const ranges = (wanted: Parameter["type"]) =>
      Object.entries(algorithm).flatMap(([name, { type, min: minValue, max: maxValue }]) =>
        type === wanted ? [{ name, minValue, maxValue, isTunable: true }] : [],
      );
    return {
      defaultHyperParameters: defaults(algorithm),
      defaultHyperParameterRanges: {
        integerHyperParameterRanges: ranges("integer"),
        continuousHyperParameterRanges: ranges("float"),
      },
    };
  }),
  DescribeFeatureTransformation: describing("featureTransformation", "feature-transformation", (recipe) => ({
    defaultParameters: defaults(recipe.featurization),
    status: "ACTIVE",
  })),
};
