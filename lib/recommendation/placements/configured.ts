import { type ConfiguredDocument, listKind } from "../../platform/aws/documents.ts";
import { Failure, UsageError } from "../../platform/failure.ts";
import type { Configuration, Recommendation } from "../../settings/configuration.ts";
import type { Placement } from "../../settings/placements.ts";
import { PLACEMENTS, parsePlacements } from "./document.ts";

/** The placements of recommendation.yaml, which are in use within a minute after they are written. */
export const CONFIGURED_PLACEMENTS: ConfiguredDocument<readonly Placement[], Configuration> = {
  ...listKind<Placement>({
    ...{ name: PLACEMENTS, list: "placements versions", one: "Placement" },
    ...{ file: "recommendation.yaml", parse: parsePlacements },
  }),
  configured({ recommendation }) {
    if (recommendation) return recommendation.placements;
    throw new UsageError("project.yaml has no section personalize: there is no recommendation service in this project");
  },
  requireDeployed({ recommendation: deployed }, { recommendation }) {
    if (!deployed || !recommendation) return;
    const missing = needsOf(recommendation).filter((need) => !haveOf(deployed).has(need));
    if (missing.length === 0) return;
    throw new Failure(
      `Placements need what is not deployed: ${[...new Set(missing)].join(", ")}. Run \`relevance deploy\`, which applies the placements, too`,
    );
  },
};

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
