import {
  CreateCampaignCommand,
  CreateSolutionCommand,
  type CreateSolutionCommandInput,
  CreateSolutionVersionCommand,
  DeleteCampaignCommand,
  DeleteSolutionCommand,
  DescribeCampaignCommand,
  DescribeSolutionCommand,
  DescribeSolutionVersionCommand,
  GetSolutionMetricsCommand,
  UpdateSolutionCommand,
} from "@aws-sdk/client-personalize";
import { GetRecommendationsCommand } from "@aws-sdk/client-personalize-runtime";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { openCampaign, openShop, stockShop, trainVersion } from "./book-shop.ts";
import { errorOf, standInTests } from "./harness.ts";

const test = suite("local Personalize: training and campaigns");

const RECIPE = "arn:aws:personalize:::recipe/aws-user-personalization";

const on = standInTests(test);

/** Refused solutions. */
const SOLUTIONS: readonly [Partial<CreateSolutionCommandInput>, RegExp][] = [
  ...(
    [
      [
        { algorithmHyperParameters: { popularity_discount_factor: "0.5" } },
        /aws-user-personalization has no algorithm parameter popularity_discount_factor, .*recipes that have it: aws-sims/,
      ],
      [{ algorithmHyperParameters: { hidden_dimension: "31" } }, /must be from 32 to 256, got "31"/],
      [{ algorithmHyperParameters: { bptt: "2.5" } }, /bptt .*must be a whole number/],
      [{ eventValueThreshold: "3" }, /needs an eventType/],
      [{ trainingDataConfig: { excludedDatasetColumns: { Items: ["COLOUR"] } } }, /Items has no column COLOUR/],
      [{ trainingDataConfig: { excludedDatasetColumns: { Interactions: ["USER_ID"] } } }, /USER_ID of .* is required/],
      [{ autoTrainingConfig: { schedulingExpression: "rate(31 days)" } }, /1 to 30 days, got 31/],
      [
        { trainingDataConfig: { includedDatasetColumns: { Items: ["PRICE"] } } },
        /'trainingDataConfig.includedDatasetColumns' .*: Member is unknown/,
      ],
    ] as const
  ).map(([solutionConfig, message]): [object, RegExp] => [{ solutionConfig }, message]),
  [{ solutionConfig: { eventValueThreshold: "high" }, eventType: "click" }, /must be a number, got "high"/],
  [{ performIncrementalUpdate: true }, /performIncrementalUpdate is for the semantic-similarity recipe/],
  [{ performHPO: true }, /neither performHPO/],
  [{ recipeArn: undefined }, /recipeArn is required/],
];

on("refuses settings of a solution that its recipe or the schemas do not have", async (harness) => {
  const { groupArn: datasetGroupArn } = await openShop(harness);
  for (const [settings, message] of SOLUTIONS) {
    const input = { name: "s", datasetGroupArn, recipeArn: RECIPE, ...settings };
    const error = await errorOf(harness.personalize.send(new CreateSolutionCommand(input)));
    assert.is(error.name, "InvalidInputException");
    assert.match(error.message, message);
  }
  const unknown = { name: "s", datasetGroupArn, recipeArn: `${RECIPE}-v9` };
  assert.is(
    (await errorOf(harness.personalize.send(new CreateSolutionCommand(unknown)))).name,
    "ResourceNotFoundException",
  );
});

on("fails training without enough data, with the numbers, and serves and updates no such version", async (harness) => {
  const shop = await openShop(harness);
  const { solutionArn, solutionVersionArn } = await trainVersion(harness, shop, "aws-user-personalization");
  const { solutionVersion } = await harness.personalize.send(
    new DescribeSolutionVersionCommand({ solutionVersionArn }),
  );
  assert.is(solutionVersion?.status, "CREATE FAILED");
  assert.is(solutionVersion?.failureReason, "Create failed. Dataset has fewer than 1000 interactions (it has 0).");
  const metrics = harness.personalize.send(new GetSolutionMetricsCommand({ solutionVersionArn }));
  assert.is((await errorOf(metrics)).name, "ResourceInUseException");
  const campaign = harness.personalize.send(new CreateCampaignCommand({ name: "c", solutionVersionArn }));
  assert.is((await errorOf(campaign)).name, "ResourceInUseException");
  const update = { solutionArn, trainingMode: "UPDATE" } as const;
  const error = await errorOf(harness.personalize.send(new CreateSolutionVersionCommand(update)));
  assert.match(error.message, /needs an ACTIVE solution version/);
});

on(
  "reports a version's metrics and why another failed, protects a solution with campaigns, and allows five campaigns",
  async (harness) => {
    const { personalize, settle } = harness;
    const shop = await openShop(harness);
    await stockShop(harness, shop);
    const { solutionArn, solutionVersionArn } = await trainVersion(harness, shop, "aws-popularity-count");
    const few = await trainVersion(harness, shop, "aws-sims", { eventType: "refund" });
    const { solutionVersion: failed } = await personalize.send(new DescribeSolutionVersionCommand(few));
    assert.match(
      failed?.failureReason ?? "",
      /fewer than 1000 interactions after filtering by event type: refund \(it has 0\)/,
    );
    const { metrics } = await personalize.send(new GetSolutionMetricsCommand({ solutionVersionArn }));
    assert.ok((metrics?.normalized_discounted_cumulative_gain_at_25 ?? 0) > 0);
    const create = (name: string, version = solutionVersionArn) =>
      personalize.send(new CreateCampaignCommand({ name, solutionVersionArn: version, minProvisionedTPS: 1 }));
    const campaigns: string[] = [];
    for (const name of ["a", "b", "c", "d", "e"]) campaigns.push((await create(name)).campaignArn ?? "");
    assert.is((await errorOf(create("f"))).name, "LimitExceededException");
    await settle();
    const { campaign } = await personalize.send(new DescribeCampaignCommand({ campaignArn: campaigns[0] }));
    assert.equal([campaign?.status, campaign?.minProvisionedTPS], ["ACTIVE", 1]);
    assert.is(
      (await errorOf(personalize.send(new DeleteSolutionCommand({ solutionArn })))).name,
      "ResourceInUseException",
    );
    for (const campaignArn of campaigns) await personalize.send(new DeleteCampaignCommand({ campaignArn }));
    await settle();
    await personalize.send(new DeleteSolutionCommand({ solutionArn }));
    await settle();
    const gone = personalize.send(new DescribeSolutionVersionCommand({ solutionVersionArn }));
    assert.is((await errorOf(gone)).name, "ResourceNotFoundException");
  },
);

on("requires $LATEST with synchronization, and only then", async (harness) => {
  const shop = await openShop(harness);
  await stockShop(harness, shop);
  const { solutionArn, solutionVersionArn } = await trainVersion(harness, shop, "aws-popularity-count");
  const create = (version: string, syncWithLatestSolutionVersion: boolean) =>
    errorOf(
      harness.personalize.send(
        new CreateCampaignCommand({
          name: "c",
          solutionVersionArn: version,
          campaignConfig: { syncWithLatestSolutionVersion },
        }),
      ),
    );
  assert.match(
    (await create(solutionVersionArn, true)).message,
    /goes with solutionVersionArn <solutionArn>\/\$LATEST/,
  );
  assert.match((await create(`${solutionArn}/$LATEST`, false)).message, /goes with/);
  assert.is((await create(`${solutionArn}/$LATEST`, true)).name, "none");
});

on("does not learn from an excluded column", async (harness) => {
  const shop = await openShop(harness);
  shop.data.items.push(
    { itemId: "solo-1", categories: "Solo", price: 1 },
    { itemId: "solo-2", categories: "Solo", price: 1 },
  );
  await stockShop(harness, shop);
  const first = async (name: string, columns: string[]) => {
    const solutionConfig = { trainingDataConfig: { excludedDatasetColumns: { Items: columns } } };
    const campaignArn = await openCampaign(harness, shop, "aws-similar-items", { name, solutionConfig });
    const { itemList } = await harness.runtime.send(new GetRecommendationsCommand({ campaignArn, itemId: "solo-1" }));
    return itemList?.[0]?.itemId;
  };
  assert.is(await first("all", []), "solo-2");
  assert.is.not(await first("without", ["CATEGORIES"]), "solo-2");
});

on("shows an update of a solution, and applies it once it is ACTIVE", async ({ personalize, settle, ...rest }) => {
  const { groupArn: datasetGroupArn } = await openShop({ personalize, settle, ...rest });
  const { solutionArn } = await personalize.send(
    new CreateSolutionCommand({ name: "s", datasetGroupArn, recipeArn: RECIPE }),
  );
  await settle();
  const describe = async () => (await personalize.send(new DescribeSolutionCommand({ solutionArn }))).solution;
  assert.is((await describe())?.latestSolutionUpdate, undefined);
  assert.is((await describe())?.performAutoTraining, true, "by default, as on AWS");

  const solutionUpdateConfig = { autoTrainingConfig: { schedulingExpression: "rate(3 days)" } };
  const change = { solutionArn, performAutoTraining: false, solutionUpdateConfig };
  await personalize.send(new UpdateSolutionCommand(change));
  const pending = await describe();
  assert.equal([pending?.latestSolutionUpdate?.status, pending?.performAutoTraining], ["CREATE PENDING", true]);
  assert.is((await errorOf(personalize.send(new UpdateSolutionCommand(change)))).name, "ResourceInUseException");

  await settle();
  const updated = await describe();
  assert.equal([updated?.latestSolutionUpdate?.status, updated?.performAutoTraining], ["ACTIVE", false]);
  assert.equal(updated?.latestSolutionUpdate?.solutionUpdateConfig, solutionUpdateConfig);
  assert.equal(updated?.solutionConfig?.autoTrainingConfig, solutionUpdateConfig.autoTrainingConfig);
});

on("accepts only known exploration values within their bounds", async (harness) => {
  const shop = await openShop(harness);
  await stockShop(harness, shop);
  const { solutionVersionArn } = await trainVersion(harness, shop, "aws-user-personalization");
  const create = (itemExplorationConfig: Record<string, string>) =>
    harness.personalize.send(
      new CreateCampaignCommand({ name: "c", solutionVersionArn, campaignConfig: { itemExplorationConfig } }),
    );
  for (const [config, message] of [
    [{ explorationWeight: "1.5" }, /from 0 to 1, got "1.5"/],
    [{ explorationWeight: "" }, /from 0 to 1, got ""/],
    [{ explorationItemAgeCutOff: "0" }, /positive number of days, got "0"/],
    [{ exploration_weight: "0.3" }, /got exploration_weight/],
  ] as const) {
    const error = await errorOf(create(config));
    assert.is(error.name, "InvalidInputException");
    assert.match(error.message, message);
  }
  await create({ explorationWeight: "0.3", explorationItemAgeCutOff: "7.5" });
});

test.run();
