import { DescribeSolutionVersionCommand, ListSolutionVersionsCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { personalizeOf } from "../../../../lib/personalize/resources/personalize.ts";
import { namesOf } from "../../../../lib/platform/naming/names.ts";
import { PROJECT_TAG, STACK_TAG } from "../../../../lib/platform/naming/tags.ts";
import { trainingSettings } from "../../../../lib/recommendation/training/settings.ts";
import { solutionInput, stepSolution, stepVersion } from "../../../../lib/recommendation/training/solution.ts";
import { openShop, stockShop } from "../../../../packages/local-personalize/test/book-shop.ts";
import { ACCOUNT, REGION, startPersonalize } from "../../../../packages/local-personalize/test/harness.ts";
import { suite } from "../../../suite.ts";
import { failureOf } from "../../personalize/resources/managed.ts";
import { filledExample, valid } from "../../settings/example.ts";

const test = suite("solutions and versions of a recipe");

const names = namesOf({ project: "shop", account: "123456789012", region: "eu-west-1" });
const config = valid(filledExample());
if (!config.recommendation) throw new Error("the example has a recommendation service");
const settings = trainingSettings(config, config.recommendation);
const recipe = settings.recipes.similar_items;
if (!recipe) throw new Error("the example has similar_items");

test("resources of training have the project's tags, and those by which they are found", () => {
  const { project_name, aws } = config.project;
  const tags = { ...aws.tags, [PROJECT_TAG]: project_name, [STACK_TAG]: "recommendation" };
  assert.equal(settings.tags, tags);
  const given = solutionInput(names, "similar_items", recipe, settings.tags).tags ?? [];
  assert.equal(Object.fromEntries(given.map(({ tagKey, tagValue }) => [tagKey, tagValue])), tags);
});

test("holds the configured settings as Personalize expects them, without automatic training", () => {
  const { name, ...input } = solutionInput(names, "similar_items", {
    ...recipe,
    parameters: [
      { name: "popularity_discount_factor", value: 0.5 },
      { name: "max_item_interaction_count_percentile", value: 0.9 },
    ],
    excluded_dataset_columns: [{ name: "Item", value: ["AUTHOR"] }],
  });
  assert.match(name, /^shop-similar-items-[0-9a-f]{8}$/);
  assert.equal(input, {
    datasetGroupArn: "arn:aws:personalize:eu-west-1:123456789012:dataset-group/shop",
    performAutoTraining: false,
    recipeArn: "arn:aws:personalize:::recipe/aws-sims",
    eventType: "purchase",
    solutionConfig: {
      eventValueThreshold: "0.5",
      algorithmHyperParameters: { popularity_discount_factor: "0.5" },
      featureTransformationParameters: { max_item_interaction_count_percentile: "0.9" },
      trainingDataConfig: { excludedDatasetColumns: { ITEMS: ["AUTHOR"] } },
    },
    tags: [],
  });
});

test("every setting changes its name, but campaign settings and tags do not", () => {
  const nameOf = (change: Partial<typeof recipe>, tags = {}) =>
    solutionInput(names, "similar_items", { ...recipe, ...change }, tags).name;
  const same = nameOf({});
  assert.is(nameOf({ min_provisioned_tps: 9 }, { team: "x" }), same);
  const others = [
    { recipe_name: "aws-similar-items" },
    { event_type: "view" },
    { event_value_threshold: "0.6" },
    { parameters: [{ name: "popularity_discount_factor", value: 0.6 }] },
    { excluded_dataset_columns: [{ name: "User" as const, value: ["AGE"] }] },
    { columns: "more" },
  ].map((change) => nameOf(change));
  assert.is(new Set([same, ...others]).size, 7);
});

test("a new dataset column needs a new solution, since Personalize leaves it out of an existing one", () => {
  const { recommendation } = config;
  if (!recommendation) throw new Error("the example has a recommendation service");
  const schemas = structuredClone(recommendation.schemas);
  schemas.item.fields.push({ name: "PAGES", type: ["null", "int"] });
  const { similar_items } = trainingSettings(config, { ...recommendation, schemas }).recipes;
  assert.is.not(similar_items?.columns, recipe.columns);
});

test("settings contain each recipe with the TPS of its campaign", () => {
  assert.equal(Object.keys(settings.recipes), ["user_personalization", "similar_items", "personalized_ranking"]);
  const { campaigns } = config.recommendation ?? {};
  assert.is(recipe.min_provisioned_tps, campaigns?.similar_items?.min_provisioned_tps);
});

const harness = await startPersonalize();
const { standIn, settle } = harness;
const personalize = personalizeOf(harness.personalize, { wait: async () => {} });
const books = namesOf({ project: "books", account: ACCOUNT, region: REGION });
const input = solutionInput(books, "similar_items", {
  recipe_name: "aws-sims",
  parameters: [],
  excluded_dataset_columns: [],
  min_provisioned_tps: 1,
  columns: "0",
});
const solutionArn = books.arn("personalize", `solution/${input.name}`);

test.before(async () => stockShop(harness, await openShop(harness, "books")));
test.after(() => harness.stop());

const solution = (begun = false) => stepSolution(personalize, input, solutionArn, begun);
const version = (of: string, current?: string) => stepVersion(personalize, solutionArn, of, current);
const versions = async () =>
  (await personalize.send(new ListSolutionVersionsCommand({ solutionArn }))).solutionVersions ?? [];

test("recreates a solution that failed before this run, and reports the reason of one that fails in this run", async () => {
  standIn.control.failCreation("solution", "no luck");
  assert.equal(await solution(), { moving: "CREATE PENDING" });
  await settle();
  assert.match(
    await failureOf(solution(true)),
    `The solution ${input.name} is CREATE FAILED: Personalize gives no reason`,
  );
  assert.equal(await solution(), { moving: "DELETE PENDING" });
  await settle();
  await solution();
  await settle();
  assert.equal(await solution(), { found: solutionArn });
});

test("a version is joined by runs with the same data, with and without its ARN", async () => {
  const begun = await version("chain data-1");
  assert.match(begun.version ?? "", /\/v-[0-9a-f]{12}-1$/);
  await standIn.control.advance(100);
  assert.equal(await version("chain data-1"), { moving: "CREATE IN_PROGRESS", version: begun.version });
  await settle();
  assert.equal(await version("chain data-1"), { found: begun.version });
  assert.equal(await version("chain data-1", begun.version), { found: begun.version });
  assert.is((await versions()).length, 1);
});

test("a training is full, never an update of the last one", async () => {
  const [first] = await versions();
  const { solutionVersion } = await personalize.send(
    new DescribeSolutionVersionCommand({ solutionVersionArn: first?.solutionVersionArn }),
  );
  assert.is(solutionVersion?.trainingMode, "FULL");
});

test("other data creates another version, and the version that nobody waits for is stopped", async () => {
  const old = await version("chain data-2");
  const next = await version("chain data-3");
  assert.is.not(next.version, old.version);
  await settle();
  const stopped = (await versions()).find(({ solutionVersionArn }) => solutionVersionArn === old.version);
  assert.is(stopped?.status, "CREATE STOPPED");
  assert.equal(await version("chain data-3"), { found: next.version });
});

test("a failed version reports the reason to the run that waits for it, and the next run tries again", async () => {
  standIn.control.failCreation("solution-version", "out of memory");
  const { version: failed } = await version("chain data-4");
  await settle();
  assert.match(await failureOf(version("chain data-4", failed)), "is CREATE FAILED: out of memory");
  const again = await version("chain data-4");
  assert.match(again.version ?? "", /-2$/);
});

test("a version that is being stopped is neither joined nor stopped again", async () => {
  const old = await version("chain data-6");
  await standIn.control.advance(150);
  await version("chain data-7");
  assert.is((await versions()).find((one) => one.solutionVersionArn === old.version)?.status, "CREATE STOPPING");
  const stops = standIn.control.counts().StopSolutionVersionCreation ?? 0;
  const again = await version("chain data-6");
  assert.is.not(again.version, old.version);
  assert.is(standIn.control.counts().StopSolutionVersionCreation, stops + 1, "that of data-7 alone");
  await settle();
});

test("waits while the account trains as many versions as it may", async () => {
  standIn.control.failNext("CreateSolutionVersion", {
    code: "LimitExceededException",
    message: "More than 20 resources with PENDING or IN_PROGRESS status.",
  });
  assert.equal(await version("chain data-5"), { moving: "waiting for other trainings of the account" });
});

test.run();
