import type { RecipeKind } from "../../config/recipes.ts";
import type { Names } from "../../core/naming/names.ts";
import type { Personalize } from "./personalize.ts";
import type { PointerStore } from "./pointers.ts";
import type { Patience } from "./waiting.ts";

/** What the manager works with. */
export interface Managing {
  personalize: Personalize;
  pointers: PointerStore;
  names: Names;
  patience: Patience;
  /** The solution version that a recipe's campaign is to serve; undefined before the first training. */
  versionFor(recipe: RecipeKind): Promise<string | undefined>;
}
