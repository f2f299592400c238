import {
  CreateBatchInferenceJobCommand,
  type CreateBatchInferenceJobCommandInput,
  CreateCampaignCommand,
  DescribeBatchInferenceJobCommand,
  DescribeCampaignCommand,
  ListBatchInferenceJobsCommand,
} from "@aws-sdk/client-personalize";
import { GetRecommendationsCommand } from "@aws-sdk/client-personalize-runtime";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { openCampaign, openFilter, openShop, stockShop, trainVersion } from "./book-shop.ts";
import { errorOf, ROLE, startPersonalize } from "./harness.ts";

const test = suite("local Personalize: batch inference and trending items");

const harness = await startPersonalize();
test.after(() => harness.stop());
const shop = await openShop(harness);
await stockShop(harness, shop);
const campaignArn = await openCampaign(harness, shop, "aws-user-personalization-v2");
const { solutionVersionArn: trending } = await trainVersion(harness, shop, "aws-trending-now", {
  solutionConfig: { featureTransformationParameters: { trend_discovery_frequency: "1 day" } },
});
const filterArn = await openFilter(harness, shop, "category", "INCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)");
const places = {
  jobInput: { s3DataSource: { path: "s3://data/batch/users.json" } },
  jobOutput: { s3DataDestination: { path: "s3://data/batch/out/" } },
};

const { campaign } = await harness.personalize.send(new DescribeCampaignCommand({ campaignArn }));
const solutionVersionArn = campaign?.solutionVersionArn ?? "";

const create = (jobName: string, more: Partial<CreateBatchInferenceJobCommandInput> = {}) =>
  harness.personalize.send(
    new CreateBatchInferenceJobCommand({ jobName, solutionVersionArn, roleArn: ROLE, ...places, ...more }),
  );
const describe = async (batchInferenceJobArn: string | undefined) =>
  (await harness.personalize.send(new DescribeBatchInferenceJobCommand({ batchInferenceJobArn }))).batchInferenceJob;

test("answers each line as the campaign does, with the line's own filter values, and says which it cannot", async () => {
  const lines = [
    { userId: "u1", filterValues: { CATEGORY: '"Comedy"' } },
    { userId: "u2", filterValues: { CATEGORY: '"Drama","Comedy"' } },
    { userId: "u3" },
    { itemId: "i1" },
  ];
  harness.files.set("data/batch/users.json", lines.map((line) => JSON.stringify(line)).join("\n"));
  const { batchInferenceJobArn } = await create("some-users", { filterArn, numResults: 40 });
  assert.is((await describe(batchInferenceJobArn))?.status, "CREATE PENDING");
  await harness.settle();
  const job = await describe(batchInferenceJobArn);
  assert.equal([job?.status, job?.numResults, job?.filterArn], ["ACTIVE", 40, filterArn]);
  const written = harness.files.get("data/batch/out/users.json.out") ?? "";
  const answers = written
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(
    answers.map(({ input }) => input),
    lines,
  );
  for (const { input, output, error } of answers.slice(0, 2)) {
    const { userId, filterValues } = input;
    const online = await harness.runtime.send(
      new GetRecommendationsCommand({ campaignArn, userId, filterArn, filterValues, numResults: 40 }),
    );
    assert.equal(
      output.recommendedItems,
      online.itemList?.map(({ itemId }) => itemId),
    );
    assert.equal([error, output.scores.length], [null, output.recommendedItems.length]);
    assert.ok(output.recommendedItems.length > 0);
  }
  assert.match(answers[2].error, "CATEGORY");
  assert.match(answers[3].error, /userId.*must not be null/i);
  const { batchInferenceJobs } = await harness.personalize.send(
    new ListBatchInferenceJobsCommand({ solutionVersionArn }),
  );
  assert.equal(
    batchInferenceJobs?.map(({ jobName }) => jobName),
    ["some-users"],
  );
});

test("refuses what the service refuses", async () => {
  const refusals: [RegExp, Partial<CreateBatchInferenceJobCommandInput>][] = [
    [/at 'numResults'.*greater than or equal to 1/, { numResults: 0 }],
    [/numResults is at most 500/, { numResults: 501 }],
    [/at 'jobInput.s3DataSource.path'.*regular expression/, { jobInput: { s3DataSource: { path: "data/x" } } }],
    [/must be a folder/, { jobOutput: { s3DataDestination: { path: "s3://data/out" } } }],
    [/generates no themes/, { batchInferenceJobMode: "THEME_GENERATION" }],
    [
      /aws-user-personalization only/,
      { batchInferenceJobConfig: { itemExplorationConfig: { explorationWeight: "1" } } },
    ],
    [/Filter with ARN .* does not exist/, { filterArn: `${filterArn}-other` }],
    [/Solution version with ARN .* does not exist/, { solutionVersionArn: `${solutionVersionArn}0` }],
    [/not supported for the recipe aws-trending-now/, { solutionVersionArn: trending }],
    [/at 'roleArn'/, { roleArn: "role" }],
  ];
  for (const [message, input] of refusals) assert.match((await errorOf(create("refused", input))).message, message);
  assert.is((await errorOf(create("some-users"))).name, "ResourceAlreadyExistsException");
});

test("a job without input ends in CREATE FAILED, and more than five at once are refused", async () => {
  const jobInput = { s3DataSource: { path: "s3://data/batch/none.json" } };
  const jobs = await Promise.all([1, 2, 3, 4, 5].map((number) => create(`job-${number}`, { jobInput })));
  assert.is((await errorOf(create("job-6"))).name, "LimitExceededException");
  await harness.settle();
  const job = await describe(jobs[0]?.batchInferenceJobArn);
  assert.equal([job?.status, job?.failureReason], ["CREATE FAILED", "There is no file s3://data/batch/none.json."]);
});

test("trending items are those whose interactions rose most in the last interval", async () => {
  const { campaignArn: arn = "" } = await harness.personalize.send(
    new CreateCampaignCommand({ name: "trending", solutionVersionArn: trending }),
  );
  await harness.settle();
  const { itemList = [] } = await harness.runtime.send(
    new GetRecommendationsCommand({ campaignArn: arn, userId: "u1", numResults: 5 }),
  );
  const newest = Math.max(...shop.data.events.map(({ timestamp }) => timestamp));
  const rise = new Map<string, number>();
  for (const { itemId, timestamp } of shop.data.events) {
    const age = Math.floor((newest - timestamp) / 86_400);
    if (age < 2) rise.set(itemId, (rise.get(itemId) ?? 0) + (age === 0 ? 1 : -1));
  }
  const best = [...rise.values()].filter((by) => by > 0).sort((a, b) => b - a);
  const found = itemList.map(({ itemId = "" }) => Math.max(0, rise.get(itemId) ?? 0));
  assert.equal(found, [...best, 0, 0, 0, 0, 0].slice(0, 5));
  assert.ok((best[0] ?? 0) > 0);
});

test.run();
