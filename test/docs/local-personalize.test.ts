// What packages/local-personalize/README.md says that the local Personalize lacks.
import { readFileSync } from "node:fs";
import * as personalize from "@aws-sdk/client-personalize";
import * as events from "@aws-sdk/client-personalize-events";
import * as runtime from "@aws-sdk/client-personalize-runtime";
import * as assert from "uvu/assert";
import { recipeArn } from "../../packages/local-personalize/recipes.ts";
import {
  avro,
  FIELDS,
  importCsv,
  interactionsCsv,
  trainVersion,
} from "../../packages/local-personalize/test/book-shop.ts";
import { errorOf, ROLE } from "../../packages/local-personalize/test/harness.ts";
import { openRuntime } from "../../packages/local-personalize/test/open-runtime.ts";
import { suite } from "../suite.ts";

const test = suite("the guide's table of what the local Personalize lacks");

const { harness, shop, campaigns, recommend } = await openRuntime();
test.after(() => harness.stop());
const { solutionArn, solutionVersionArn } = await trainVersion(harness, shop, "aws-popularity-count");

const guide = readFileSync("packages/local-personalize/README.md", "utf8");

/** The rows of the table of refused calls: what is called, and the error. */
const ROWS = [...guide.matchAll(/^\| [^|]+ \| ([^|]+) \| (\w+Exception) \|$/gm)].map(([, calls = "", error = ""]) => ({
  ...{ calls, error },
}));

test("names each operation of the SDKs that it does not know, and no other", async () => {
  const named = ROWS.filter(({ error }) => error === "UnknownOperationException").flatMap(({ calls }) =>
    [...calls.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  );
  const unknown: string[] = [];
  for (const [client, commands] of [
    [harness.personalize, personalize],
    [harness.events, events],
    [harness.runtime, runtime],
  ] as const) {
    for (const name of Object.keys(commands).filter((key) => /^[A-Z]\w+Command$/.test(key))) {
      const Command = Reflect.get(commands, name);
      const error = await errorOf((client as typeof harness.personalize).send(new Command({})));
      if (error.name === "UnknownOperationException") unknown.push(name.replace(/Command$/, ""));
    }
  }
  assert.equal(unknown.sort(), named.sort());
});

const solution = (more: Partial<personalize.CreateSolutionCommandInput>) =>
  new personalize.CreateSolutionCommand({
    ...{ name: "s", datasetGroupArn: shop.groupArn, recipeArn: recipeArn("aws-sims"), ...more },
  });
const ofRecipe = (name: string) => harness.personalize.send(solution({ recipeArn: recipeArn(name) }));

/** The calls of each row whose operation it knows, which would succeed without what the row names. */
const REFUSED: Readonly<Record<string, () => Promise<unknown>[]>> = {
  "`CreateDatasetImportJob` with `publishAttributionMetricsToS3`": () => [
    harness.personalize.send(
      new personalize.CreateDatasetImportJobCommand({
        ...{ jobName: "j", datasetArn: shop.datasets.Items, roleArn: ROLE, publishAttributionMetricsToS3: true },
        dataSource: { dataLocation: "s3://data/items.csv" },
      }),
    ),
  ],
  "`CreateDatasetGroup`, `CreateSchema` with `domain`": () => [
    harness.personalize.send(new personalize.CreateDatasetGroupCommand({ name: "g", domain: "ECOMMERCE" })),
    harness.personalize.send(
      new personalize.CreateSchemaCommand({ name: "s", schema: avro("Items", FIELDS.Items), domain: "ECOMMERCE" }),
    ),
  ],
  "`CreateDataset` with `datasetType` `Actions` or `Action_Interactions`": () =>
    ["Actions", "Action_Interactions"].map((datasetType) =>
      harness.personalize.send(
        new personalize.CreateDatasetCommand({
          ...{ name: "d", datasetGroupArn: shop.groupArn, datasetType, schemaArn: `${shop.groupArn}x` },
        }),
      ),
    ),
  "`GetRecommendations` with `recommenderArn`": () => [recommend({ userId: "u1", recommenderArn: campaigns.user })],
  "`GetRecommendations` with `promotions`": () => [recommend({ userId: "u1", promotions: [{ name: "p" }] })],
  "`CreateSolution` with `performHPO` or `performAutoML`": () =>
    [{ performHPO: true }, { performAutoML: true }].map((more) => harness.personalize.send(solution(more))),
  "`CreateSolution` with `solutionConfig.optimizationObjective`": () => [
    harness.personalize.send(solution({ solutionConfig: { optimizationObjective: { itemAttribute: "PRICE" } } })),
  ],
  "`CreateSolution`, `UpdateSolution` with `performIncrementalUpdate`": () => [
    harness.personalize.send(solution({ performIncrementalUpdate: true })),
    harness.personalize.send(new personalize.UpdateSolutionCommand({ solutionArn, performIncrementalUpdate: true })),
  ],
  "`CreateBatchInferenceJob` with `batchInferenceJobMode` `THEME_GENERATION`": () => [
    harness.personalize.send(
      new personalize.CreateBatchInferenceJobCommand({
        ...{ jobName: "b", solutionVersionArn, roleArn: ROLE, batchInferenceJobMode: "THEME_GENERATION" },
        jobInput: { s3DataSource: { path: "s3://data/users.json" } },
        jobOutput: { s3DataDestination: { path: "s3://data/lists/" } },
      }),
    ),
  ],
  "`CreateSolution` with `aws-item-affinity`, `aws-item-attribute-affinity`, `aws-next-best-action` or `aws-semantic-similarity`":
    () =>
      ["aws-item-affinity", "aws-item-attribute-affinity", "aws-next-best-action", "aws-semantic-similarity"].map(
        ofRecipe,
      ),
};

test("has a test below for each row of an operation that it knows, and no test without a row", () => {
  const listed = ROWS.filter(({ error }) => error !== "UnknownOperationException").map(({ calls }) => calls);
  assert.equal(listed.sort(), Object.keys(REFUSED).sort());
});

for (const { calls, error } of ROWS.filter(({ error }) => error !== "UnknownOperationException")) {
  test(`refuses ${calls.replaceAll("`", "")}`, async () => {
    const refusals = await Promise.all((REFUSED[calls]?.() ?? []).map(errorOf));
    assert.ok(refusals.length > 0);
    for (const { name, message } of refusals) {
      assert.is(name, error, message);
      assert.match(message, /local Personalize|^Recipe with ARN .* does not exist|Interactions, Items or Users here/);
    }
  });
}

/** Items for a user, without what differs in each answer. */
const items = async (input: object = {}, campaign = campaigns.user) =>
  (await recommend({ userId: "u1", ...input }, campaign)).itemList;

test("accepts context, exploration and ranking influence, and changes no list by them", async () => {
  const before = await items();
  assert.ok(before && before.length > 0);
  assert.equal(await items({ context: { DEVICE: "phone" } }), before);
  for (const campaignConfig of [
    { itemExplorationConfig: { explorationWeight: "1", explorationItemAgeCutOff: "1" } },
    { rankingInfluence: { FRESHNESS: 1, POPULARITY: 1 } },
  ]) {
    const campaignArn = campaigns.user;
    await harness.personalize.send(new personalize.UpdateCampaignCommand({ campaignArn, campaignConfig }));
    await harness.settle();
    assert.equal(await items(), before);
  }
});

/** Settings that are checked and have no effect, by the recipe that takes them. */
const IDLE: readonly [string, personalize.SolutionConfig][] = [
  ["aws-user-personalization", { algorithmHyperParameters: { bptt: "2" } }],
  ["aws-sims", { featureTransformationParameters: { max_item_interaction_count_percentile: "0.5" } }],
  ["aws-similar-items", { algorithmHyperParameters: { item_id_hidden_dim: "30", item_metadata_hidden_dim: "30" } }],
  ["aws-user-personalization-v2", weighted(0.1)],
];

function weighted(weight: number): personalize.SolutionConfig {
  return { eventsConfig: { eventParametersList: [{ eventType: "click", weight }, { eventType: "purchase" }] } };
}

async function metricsOf(recipe: string, solutionConfig: personalize.SolutionConfig = {}) {
  const trained = await trainVersion(harness, shop, recipe, { name: "measured", solutionConfig });
  const { metrics } = await harness.personalize.send(new personalize.GetSolutionMetricsCommand(trained));
  // A group has at most ten solutions.
  await harness.personalize.send(new personalize.DeleteSolutionCommand(trained));
  await harness.settle();
  assert.ok((metrics?.coverage ?? 0) > 0);
  return metrics;
}

for (const [recipe, solutionConfig] of IDLE) {
  test(`learns the same with ${JSON.stringify(solutionConfig)}`, async () => {
    const metrics = await metricsOf(recipe, solutionConfig.eventsConfig ? weighted(1) : {});
    assert.equal(await metricsOf(recipe, solutionConfig), metrics);
  });
}

test("learns the same from events with impressions", async () => {
  const recipe = "aws-user-personalization";
  const metrics = await metricsOf(recipe);
  const csv = interactionsCsv(shop.data.events).replace(/,$/gm, ",i1|i2|i3");
  assert.is((await importCsv(harness, shop.datasets.Interactions, csv))?.status, "ACTIVE");
  assert.equal(await metricsOf(recipe), metrics);
});

test("trains nothing by itself", async () => {
  const autoTrainingConfig = { schedulingExpression: "rate(1 day)" };
  const settings = { name: "daily", performAutoTraining: true, solutionConfig: { autoTrainingConfig } };
  const daily = await trainVersion(harness, shop, "aws-popularity-count", settings);
  await harness.standIn.control.advance(3 * 86_400_000);
  const list = new personalize.ListSolutionVersionsCommand({ solutionArn: daily.solutionArn });
  assert.is((await harness.personalize.send(list)).solutionVersions?.length, 1);
});

test.run();
