import type { RecipeKind } from "../../config/recipes.ts";
import type { Names } from "../../core/naming/names.ts";
import type { Personalize } from "./personalize.ts";
import type { PointerStore } from "./pointers.ts";
import type { Patience } from "./waiting.ts";

/** The manager's clients, names and time limits. */
export interface Managing {
  personalize: Personalize;
  pointers: PointerStore;
  names: Names;
  patience: Patience;
  /** Returns the solution version that a recipe's campaign should serve; undefined before the first training. */
  versionFor(recipe: RecipeKind): Promise<string | undefined>;
}
