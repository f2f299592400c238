import { DEFAULT_EXPLORATION, EXPLORING_RECIPE } from "../../settings/recipes.ts";

/** How a campaign tries out new items. */
type Settings = Readonly<Record<string, string>> | undefined;

/** Returns whether a recipe tries out new items as its campaign says. */
export const explores = (recipeArn: string | undefined): boolean =>
  recipeArn?.endsWith(`/${EXPLORING_RECIPE}`) === true;

/** Returns whether two settings mean the same. */
export function sameExploration(one: Settings, other: Settings): boolean {
  const numbers = (given: Settings) => Object.values({ ...DEFAULT_EXPLORATION, ...given }).map(Number);
  const [a, b] = [numbers(one), numbers(other)];
  return a.every((value, index) => value === b[index]);
}
