import * as v from "valibot";
import type { Recommendation } from "../../lib/config/configuration.ts";
import { defineCommand } from "../command.ts";
import { openDocument, printApplied, writeDocument } from "../documents.ts";
import { Failure } from "../errors.ts";
import { readDeployed } from "../plan/deployed.ts";
import { placementDocument } from "../recommendation/placements.ts";
import { LOCAL_HELP, openTarget, type Target } from "../recommendation/target.ts";
import { storedConfiguration } from "../state/configuration-objects.ts";

/** `relevance placements apply`: writes the placements of recommendation.yaml, which are in use within a minute. */
export const command = defineCommand({
  example: "relevance placements apply",
  json: true,
  define: (command) => {
    command.option("--local", LOCAL_HELP);
  },
  options: { local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json }, context) => {
    const target = await openTarget({ conf, local }, context);
    await requireDeployed(target);
    const document = await openDocument(placementDocument, target.sdk, target.names);
    const written = await writeDocument(placementDocument, document, target.sdk, target.recommendation.placements);
    printApplied(placementDocument, written, { terminal: context.terminal, json });
    return 0;
  },
});

/** Throws Failure if a placement needs a filter or a recipe that is not deployed. */
async function requireDeployed({ recommendation, names, sdk }: Target): Promise<void> {
  const { config } = readDeployed(await storedConfiguration({ sdk }, names.bucket()));
  const deployed = config?.recommendation;
  if (!deployed) return;
  const missing = needsOf(recommendation).filter((need) => !haveOf(deployed).has(need));
  if (missing.length === 0) return;
  throw new Failure(
    `Placements need what is not deployed: ${[...new Set(missing)].join(", ")}. Run \`relevance deploy\`, which applies the placements, too`,
  );
}

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
