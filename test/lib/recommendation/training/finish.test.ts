import { CreateCampaignCommand, DeleteCampaignCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { readSolutions } from "../../../../lib/personalize/resources/inventory.ts";
import { personalizeOf } from "../../../../lib/personalize/resources/personalize.ts";
import { namesOf } from "../../../../lib/platform/naming/names.ts";
import { runKeys } from "../../../../lib/recommendation/etl/run-files.ts";
import type { TrainingContext } from "../../../../lib/recommendation/training/context.ts";
import { finish } from "../../../../lib/recommendation/training/finish.ts";
import type { RecipeProgress } from "../../../../lib/recommendation/training/task.ts";
import { openShop, stockShop, trainVersion } from "../../../../packages/local-personalize/test/book-shop.ts";
import { ACCOUNT, REGION, startPersonalize } from "../../../../packages/local-personalize/test/harness.ts";
import { suite } from "../../../suite.ts";
import { asRole } from "../../personalize/resources/as-role.ts";
import { failureOf } from "../../personalize/resources/managed.ts";
import { MemoryStore } from "../etl/memory.ts";
import { judged, memoryState } from "./memory-state.ts";
import { onlyUsers } from "./settings.ts";

const test = suite("end of a training");

const harness = await startPersonalize();
const names = namesOf({ project: "books", account: ACCOUNT, region: REGION });
const personalize = personalizeOf(harness.personalize, { wait: async () => {} });
const state = memoryState();
const context = {
  personalize: asRole(personalize, "training", names),
  names,
  state,
  settings: onlyUsers(),
} as unknown as TrainingContext;
const DROPPED = names.solution("similar_items", "as it was");
const campaignArn = names.arn("personalize", `campaign/${names.campaign("similar_items")}`);

test.after(() => harness.stop());

const solutions = async () => {
  await harness.settle();
  return (await readSolutions(personalize, names)).map(({ name }) => name);
};

test("keeps a recipe that was removed from solution.yaml while its campaign serves", async () => {
  const shop = await openShop(harness, "books");
  await stockShop(harness, shop);
  const { solutionVersionArn } = await trainVersion(harness, shop, "aws-sims", { name: DROPPED });
  await trainVersion(harness, shop, "aws-sims", { name: "by-hand" });
  const name = names.campaign("similar_items");
  await personalize.send(new CreateCampaignCommand({ name, solutionVersionArn, minProvisionedTPS: 1 }));
  await harness.settle();
  await state.saveRecipe("similar_items", { active: judged(solutionVersionArn), held: [], revision: 1 });
  await state.saveRecipe("user_personalization", { held: [], revision: 1 });
  assert.equal((await finish("one", [], context)).removed, []);
  assert.equal(await solutions(), [DROPPED, "by-hand"]);
  assert.is((await state.recipe("similar_items"))?.active?.version, solutionVersionArn);
});

test("deletes that recipe with its records when deploy has removed the campaign", async () => {
  await personalize.send(new DeleteCampaignCommand({ campaignArn }));
  await harness.settle();
  assert.equal((await finish("two", [], context)).removed, [DROPPED]);
  assert.equal(await solutions(), ["by-hand"]);
  assert.is(await state.recipe("similar_items"), undefined);
  assert.ok(await state.recipe("user_personalization"), "what is configured is remembered");
});

const ended = (recipe: RecipeProgress["recipe"], stage: RecipeProgress["stage"], status = ""): RecipeProgress => ({
  recipe,
  stage,
  status,
});

test("says whether all recipes switched together, or else which did not", async () => {
  const summary = async (...progress: RecipeProgress[]) => (await finish("three", progress, context)).summary;
  const done = ended("user_personalization", "done");
  assert.is(await summary(done), "All recipes of this run serve their new versions.");
  assert.is(
    await summary(done, ended("similar_items", "held")),
    "The recipes did not switch together. New versions: user_personalization. Unchanged: similar_items.",
  );
  assert.is(await summary(ended("similar_items", "held")), "No recipe was switched. Unchanged: similar_items.");
});

test("compares the model for users with the built-in engine and with popularity", async () => {
  const store = new MemoryStore();
  const interval = (mean: number) => ({ mean, low: mean - 0.01, high: mean + 0.01 });
  const measured = { users: 900, built_in: interval(0.18), popularity: interval(0.1) };
  const report = { items: 5, of: 5, by_text: 0, users: 9_000, model: { factors: 0, users: 2 }, seconds: 3, measured };
  await store.write(runKeys("compared").builtIn, JSON.stringify(report));
  await state.saveData({ run: "compared" });
  const known = await state.recipe("user_personalization");
  const active = judged("new", { ndcg: 0.24 });
  await state.saveRecipe("user_personalization", { active, held: [], revision: (known?.revision ?? 0) + 1 });
  const progress = { ...ended("user_personalization", "done"), version: "new" };
  const { summary } = await finish("compared", [progress], { ...context, store });
  assert.match(summary, "Personalize 0.240, built-in engine 0.180 (0.170 to 0.190), popularity 0.100");
  assert.match(summary, "The campaign recommends better than the built-in engine, by 0.060");
  assert.ok(summary.includes(String((await state.data())?.yardstick)));
  await state.saveData({ run: "another" });
  assert.not.match((await finish("compared", [progress], { ...context, store })).summary, "built-in");
});

test("reports a failed recipe with the reason, what the others serve, and what to do", async () => {
  const progress = [ended("user_personalization", "done"), ended("similar_items", "failed", "no capacity")];
  assert.is(
    await failureOf(finish("four", progress, context)),
    "TrainingError: 1 of 2 recipes could not be trained. similar_items: no capacity. The recipes did not switch together. " +
      "New versions: user_personalization. Unchanged: similar_items. Correct what the reasons name, " +
      "then start the training again: with the same data only failed recipes are trained",
  );
});

test.run();
