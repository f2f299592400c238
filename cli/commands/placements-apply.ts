import type { Recommendation } from "../../lib/config/configuration.ts";
import { applyCommand } from "../document-commands.ts";
import { Failure } from "../errors.ts";
import { PLACEMENTS_KIND } from "../recommendation/placements.ts";

/** `relevance placements apply`: writes the placements of recommendation.yaml, which are in use within a minute. */
export const command = applyCommand(PLACEMENTS_KIND, {
  requireDeployed: ({ recommendation: deployed }, { recommendation }) => {
    if (!deployed || !recommendation) return;
    const missing = needsOf(recommendation).filter((need) => !haveOf(deployed).has(need));
    if (missing.length === 0) return;
    throw new Failure(
      `Placements need what is not deployed: ${[...new Set(missing)].join(", ")}. Run \`relevance deploy\`, which applies the placements, too`,
    );
  },
});

const filterNamed = (name: string, expression: string | undefined) => `the filter ${name} (${expression})`;
const recipeNamed = (name: string) => `the recipe ${name}`;

function needsOf({ placements, filters }: Recommendation): string[] {
  const expressions = new Map(filters.map(({ name, expression }) => [name, expression]));
  return placements
    .flatMap((placement) => [placement, ...(placement.experiment?.variants.map(({ settings }) => settings) ?? [])])
    .flatMap(({ recipe, filter, promotions = [] }) => [
      ...(recipe ? [recipeNamed(recipe)] : []),
      ...[filter, ...promotions.map((promotion) => promotion.filter)].flatMap((one) =>
        one ? [filterNamed(one.name, expressions.get(one.name))] : [],
      ),
    ]);
}

const haveOf = ({ filters, solution }: Recommendation): ReadonlySet<string> =>
  new Set([
    ...filters.map(({ name, expression }) => filterNamed(name, expression)),
    ...Object.keys(solution.recipes).map(recipeNamed),
  ]);
