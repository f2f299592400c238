import { DeleteCampaignCommand, DescribeCampaignCommand, GetSolutionMetricsCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { type Personalize, personalizeOf } from "../../../../lib/personalize/resources/personalize.ts";
import { ignoreNotFound } from "../../../../lib/platform/aws/errors.ts";
import { RECIPE_KINDS, type RecipeKind } from "../../../../lib/platform/contract/recommendation.ts";
import { namesOf } from "../../../../lib/platform/naming/names.ts";
import { begin } from "../../../../lib/recommendation/training/begin.ts";
import type { TrainingContext } from "../../../../lib/recommendation/training/context.ts";
import { GATE_METRIC } from "../../../../lib/recommendation/training/gate.ts";
import { HELD_MODELS } from "../../../../lib/recommendation/training/switch-version.ts";
import { hasEnded, RecipeProgress } from "../../../../lib/recommendation/training/task.ts";
import { acceptVersions, trainRecipes } from "../../../../lib/recommendation/training/train.ts";
import { openShop, stockShop } from "../../../../packages/local-personalize/test/book-shop.ts";
import { ACCOUNT, REGION, startPersonalize } from "../../../../packages/local-personalize/test/harness.ts";
import { suite } from "../../../suite.ts";
import { asRole } from "../../personalize/resources/as-role.ts";
import { memoryPointers } from "../../personalize/resources/managed.ts";
import { memoryState } from "./memory-state.ts";
import { NDCG_ANY } from "./settings.ts";

const test = suite("training of recipes");

const harness = await startPersonalize();
const { standIn, settle } = harness;
const names = namesOf({ project: "books", account: ACCOUNT, region: REGION });
const real = asRole(personalizeOf(harness.personalize, { wait: async () => {} }), "training", names);

/** NDCG@25 of versions, in the order in which they are first requested. */
const metrics: number[] = [];
const measured = new Map<string, number>();
const personalize: Personalize = {
  async send(command) {
    const answer = await real.send(command);
    if (!(command instanceof GetSolutionMetricsCommand)) return answer;
    const version = command.input.solutionVersionArn ?? "";
    const value = measured.get(version) ?? metrics.shift() ?? 0;
    measured.set(version, value);
    return { ...answer, metrics: { [GATE_METRIC]: value } };
  },
};

const state = memoryState();
const pointers = memoryPointers();
const lines: string[] = [];
const context = {
  settings: { ...NDCG_ANY, project: "books" },
  names,
  personalize,
  pointers,
  state,
  logLookbackDays: 90,
  looks: { recipes: 1 },
  now: () => 0,
  print: (line: string) => lines.push(line),
} as unknown as TrainingContext;

/** So many users that chance explains almost no difference. */
const USERS = Object.fromEntries(RECIPE_KINDS.map((kind) => [kind, 1_000_000]));

test.before(async () => stockShop(harness, await openShop(harness, "books")));
test.after(() => harness.stop());

interface Run {
  origin: string;
  data: string;
}

/** What the function takes of what it has returned before, which the state machine hands over. */
const taken = (progress: RecipeProgress[]) => v.parse(v.array(RecipeProgress), JSON.parse(JSON.stringify(progress)));

/** Polls until each recipe has ended, and returns the stages that the recipes passed through. */
async function train(run: Run, recipes: readonly RecipeKind[] = ["similar_items"], of: TrainingContext = context) {
  const stages: string[] = [];
  let progress: RecipeProgress[] = [];
  for (let polls = 0; polls < 12; polls += 1) {
    const answer = await trainRecipes({ run: run.origin, ...run, recipes, users: USERS, progress }, of);
    progress = taken(answer.progress);
    const stage = progress.map((one) => one.stage).join(" ");
    if (stages.at(-1) !== stage) stages.push(stage);
    if (answer.ready) break;
    await settle();
  }
  return { stages, progress: progress[0], all: progress };
}

async function served(recipe: RecipeKind): Promise<string | undefined> {
  const campaignArn = names.arn("personalize", `campaign/${names.campaign(recipe)}`);
  const found = await ignoreNotFound(personalize.send(new DescribeCampaignCommand({ campaignArn })));
  return found?.campaign?.solutionVersionArn;
}

test("lets ETL count the events that each recipe trains on", async () => {
  const { user_personalization, similar_items } = NDCG_ANY.recipes;
  const bought = { ...user_personalization, event_type: "bought", event_value_threshold: "4.5" };
  const settings = { ...context.settings, recipes: { user_personalization: bought, similar_items } };
  const own = { ...context, settings, state: memoryState(), accepted: async () => ({ accepted: 7 }) };
  const run = { run: "one", execution: "arn:one", mode: "init", startedAt: "2026-01-01T00:00:00.000Z" } as const;
  const begun = await begin({ ...run, acceptMissing: false }, own as unknown as TrainingContext);
  assert.equal(begun.checks, [
    { name: "user_personalization", event_type: "bought", event_value_threshold: 4.5 },
    { name: "similar_items" },
  ]);
});

test("goes through solution, version and campaign, and points the API to it", async () => {
  metrics.push(0.5);
  const { stages } = await train({ origin: "one", data: "a" });
  assert.equal(stages, ["solution", "version", "campaign", "done"]);
  const arn = names.arn("personalize", "campaign/books-similar-items");
  const parameter = names.campaignParameter("similar_items");
  const { active } = (await state.recipe("similar_items")) ?? {};
  assert.equal(
    [...pointers.values],
    [
      [`${parameter}/version`, active?.version],
      [parameter, arn],
    ],
  );
  assert.is(active?.ndcg, 0.5);
});

test("is done at once in the same chain with the same data", async () => {
  const versions = standIn.control.counts().CreateSolutionVersion;
  const { stages } = await train({ origin: "one", data: "a" });
  assert.equal(stages, ["done"]);
  assert.is(standIn.control.counts().CreateSolutionVersion, versions);
});

test("holds a worse version back with one metric line and its reason, however often it is polled", async () => {
  metrics.push(0.2);
  const before = (await state.recipe("similar_items"))?.active;
  const { stages, progress } = await train({ origin: "two", data: "b" });
  assert.equal(stages, ["version", "held"]);
  assert.equal((await train({ origin: "two", data: "b" })).stages, ["held"]);
  const [metric, warning, ...more] = lines.map((line) => JSON.parse(line));
  assert.equal([metric[HELD_MODELS], metric.Project, metric.Recipe, more], [1, "books", "similar_items", []]);
  assert.match(warning.message, `${progress?.version} is held back: NDCG@25 is 0.2000, the active version has 0.5000`);
  const known = await state.recipe("similar_items");
  assert.equal([known?.active, known?.held.map(({ version }) => version)], [before, [progress?.version]]);
});

test("serves the version that was held back once it is accepted, and compares the next one with it", async () => {
  const held = (await state.recipe("similar_items"))?.held.at(-1);
  const accept = async () => {
    let progress: RecipeProgress[] = [
      { recipe: "similar_items", stage: "trained", status: "", version: held?.version ?? "" },
    ];
    for (let ready = false; !ready; await settle()) {
      ({ ready, progress } = await acceptVersions({ run: "accepting", progress }, context));
    }
    return progress;
  };
  const done = [
    {
      recipe: "similar_items",
      stage: "done",
      status: "accepted with relevance train --accept",
      version: held?.version,
    },
  ];
  assert.equal(await accept(), done);
  assert.is(await served("similar_items"), held?.version);
  const { active, held: left, last } = (await state.recipe("similar_items")) ?? {};
  assert.equal([active?.ndcg, active?.measure, left, last?.outcome], [0.2, { log_lookback_days: "90" }, [], "done"]);
  assert.equal(await accept(), done, "repeated after its answer was lost");
  assert.equal((await train({ origin: "two", data: "b" })).stages, ["done"]);
});

test("also says at the end why it switched", async () => {
  metrics.push(0.19);
  const { stages, progress } = await train({ origin: "three", data: "c" });
  assert.equal(stages, ["version", "campaign", "done"]);
  assert.is(progress?.status, "NDCG@25 is 0.1900, the active version has 0.2000");
});

test("switches to a version that was measured on other events, and says so", async () => {
  metrics.push(0.01);
  const changed = { ...context, logLookbackDays: 30 };
  const { progress } = await train({ origin: "measure", data: "c" }, ["similar_items"], changed);
  assert.is(progress?.stage, "done");
  assert.match(progress?.status ?? "", /^not compared .* log_lookback_days was 90, is 30$/);
  metrics.push(0.4);
  assert.match((await train({ origin: "back", data: "c2" })).progress?.status ?? "", "log_lookback_days was 30, is 90");
});

test("switches to the third worse version in a row, but never if the gate is strict", async () => {
  const next = async (data: string, of: TrainingContext = context) => {
    metrics.push(0.01);
    return (await train({ origin: data, data }, ["similar_items"], of)).progress;
  };
  const { settings } = context;
  const strict = { ...context, settings: { ...settings, metric_gate: { ...settings.metric_gate, strict: true } } };
  for (const data of ["e", "f"]) assert.is((await next(data))?.stage, "held");
  assert.is((await next("g", strict))?.stage, "held");
  const last = await next("h");
  assert.is(last?.stage, "done");
  assert.match(last?.status ?? "", "3 versions in a row were held back before");
  assert.equal((await state.recipe("similar_items"))?.held, []);
});

test("fails a recipe whose campaign cannot take the version, and the next run retries with that version", async () => {
  metrics.push(0.6);
  standIn.control.failCreation("campaign", "no capacity");
  const { stages, progress } = await train({ origin: "four", data: "d" });
  assert.equal(stages, ["version", "campaign", "failed"]);
  assert.match(progress?.status ?? "", "The update of the campaign books-similar-items is CREATE FAILED: no capacity");
  const again = await train({ origin: "four", data: "d" });
  assert.equal(again.stages, ["campaign", "done"]);
  assert.is(again.progress?.version, progress?.version);
});

test("switches no campaign until every recipe is trained or has failed, then switches all in one step", async () => {
  const recipes = ["user_personalization", "similar_items"] as const;
  const before = await served("similar_items");
  const run = { run: "six", origin: "six", data: "f", recipes, users: USERS };
  const step = async (progress: RecipeProgress[]) =>
    taken((await trainRecipes({ ...run, progress }, context)).progress);
  // similar_items has its solution, so it is trained while that of user_personalization is still being created.
  let progress = await step([]);
  await settle();
  progress = await step(progress);
  assert.equal(
    progress.map(({ stage }) => stage),
    ["version", "trained"],
  );
  assert.is(await served("similar_items"), before);
  await settle();
  metrics.push(0.7, 0.7);
  progress = await step(progress);
  assert.equal(
    progress.map(({ stage }) => stage),
    ["campaign", "campaign"],
  );
  await settle();
  progress = await step(progress);
  assert.ok(progress.every(hasEnded));
});

test("creates no campaign again that somebody deletes while the training waits for it; the next training does", async () => {
  metrics.push(0.9);
  const run = { run: "seven", origin: "seven", data: "g", recipes: ["similar_items"] as const, users: USERS };
  const step = async (progress: RecipeProgress[]) =>
    taken((await trainRecipes({ ...run, progress }, context)).progress);
  let progress = await step([]);
  for (; progress[0]?.stage !== "campaign"; progress = await step(progress)) await settle();
  await settle();
  const campaignArn = names.campaignArn("similar_items");
  await harness.personalize.send(new DeleteCampaignCommand({ campaignArn }));
  const { CreateCampaign } = standIn.control.counts();
  const deleting = await step(progress);
  await settle();
  const gone = await step(progress);
  for (const [ended] of [deleting, gone]) {
    assert.equal(
      [ended?.stage, ended?.status],
      ["failed", "The campaign books-similar-items was deleted while it was awaited"],
    );
  }
  assert.is(standIn.control.counts().CreateCampaign, CreateCampaign);
  assert.equal((await train({ origin: "seven", data: "g" })).stages, ["campaign", "done"]);
});

test("fails a recipe that Personalize refuses, and throws transient errors for the state machine to retry", async () => {
  const refused = { origin: "five", data: "e" };
  standIn.control.failNext("CreateSolutionVersion", { code: "InvalidInputException", message: "not like this" });
  assert.equal((await train(refused)).progress, { recipe: "similar_items", stage: "failed", status: "not like this" });
  standIn.control.failNext("CreateSolutionVersion", { times: 20 });
  const error = await train(refused).then(
    () => "none",
    ({ name }: Error) => name,
  );
  assert.is(error, "InternalServerException");
});

test.run();
