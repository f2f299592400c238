import { GetSolutionMetricsCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { namesOf } from "../../../../lib/core/naming/names.ts";
import { type Personalize, personalizeOf } from "../../../../lib/personalize/resources/personalize.ts";
import type { TrainingContext } from "../../../../lib/recommendation/training/context.ts";
import { GATE_METRIC } from "../../../../lib/recommendation/training/gate.ts";
import type { RecipeProgress } from "../../../../lib/recommendation/training/progress.ts";
import { HELD_MODELS, stepRecipe } from "../../../../lib/recommendation/training/recipe-step.ts";
import { openShop, stockShop } from "../../../local/personalize/book-shop.ts";
import { ACCOUNT, REGION, startPersonalize } from "../../../local/personalize/harness.ts";
import { suite } from "../../../suite.ts";
import { asRole } from "../../personalize/resources/as-role.ts";
import { memoryPointers } from "../../personalize/resources/managed.ts";
import { memoryState } from "./memory-state.ts";
import { NDCG_ANY } from "./settings.ts";

const test = suite("training of one recipe");

const harness = await startPersonalize();
const { standIn, settle } = harness;
const names = namesOf({ project: "books", account: ACCOUNT, region: REGION });
const real = asRole(personalizeOf(harness.personalize, { wait: async () => {} }), "training", names);

/** NDCG@25 of versions in the order in which they are first asked for. */
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
  now: () => 0,
  print: (line: string) => lines.push(line),
} as unknown as TrainingContext;

test.before(async () => stockShop(harness, await openShop(harness, "books")));
test.after(() => harness.stop());

/** Steps to the end, the stages on the way included. */
async function train(run: { origin: string; data: string }) {
  const stages: string[] = [];
  let progress: RecipeProgress | undefined;
  for (let looks = 0; looks < 10; looks += 1) {
    progress = await stepRecipe("similar_items", run, progress, context);
    if (stages.at(-1) !== progress.stage) stages.push(progress.stage);
    if (["done", "held", "failed"].includes(progress.stage)) break;
    await settle();
  }
  return { stages, progress };
}

test("goes through solution, version and campaign, and points the API to it", async () => {
  metrics.push(0.5);
  const { stages } = await train({ origin: "one", data: "a" });
  assert.equal(stages, ["solution", "version", "campaign", "done"]);
  const arn = names.arn("personalize", "campaign/books-similar-items");
  assert.equal([...pointers.values], [[names.campaignParameter("similar_items"), arn]]);
  assert.is((await state.recipe("similar_items"))?.active?.ndcg, 0.5);
});

test("in the same chain with the same data, it is finished already", async () => {
  const versions = standIn.control.counts().CreateSolutionVersion;
  const { stages } = await train({ origin: "one", data: "a" });
  assert.equal(stages, ["done"]);
  assert.is(standIn.control.counts().CreateSolutionVersion, versions);
});

test("a worse version is held back with one metric line and its reason, however often it is looked at", async () => {
  metrics.push(0.2);
  const before = (await state.recipe("similar_items"))?.active;
  const { stages, progress } = await train({ origin: "two", data: "b" });
  assert.equal(stages, ["version", "held"]);
  assert.equal((await train({ origin: "two", data: "b" })).stages, ["held"]);
  const [metric, warning, ...more] = lines.map((line) => JSON.parse(line));
  assert.equal([metric[HELD_MODELS], metric.Project, metric.Recipe, more], [1, "books", "similar_items", []]);
  assert.match(warning.message, `${progress?.version} is held back: NDCG@25 is 0.2000, of the active version 0.5000`);
  const known = await state.recipe("similar_items");
  assert.equal([known?.active, known?.held], [before, [progress?.version]]);
});

test("a good one clears the row; why it was switched to is told at the end too", async () => {
  metrics.push(0.48);
  const { stages, progress } = await train({ origin: "three", data: "c" });
  assert.equal(stages, ["version", "campaign", "done"]);
  assert.is(progress?.status, "NDCG@25 is 0.4800, of the active version 0.5000");
  assert.equal((await state.recipe("similar_items"))?.held, []);
});

test("a campaign that cannot take the version: the recipe fails with the reason, the next run tries again", async () => {
  metrics.push(0.6);
  standIn.control.failCreation("campaign", "no capacity");
  const { stages, progress } = await train({ origin: "four", data: "d" });
  assert.equal(stages, ["version", "campaign", "failed"]);
  assert.match(progress?.status ?? "", "The update of the campaign books-similar-items is CREATE FAILED: no capacity");
  const again = await train({ origin: "four", data: "d" });
  assert.equal(again.stages, ["campaign", "done"]);
  assert.is(again.progress?.version, progress?.version, "the trained version is used");
});

test("what Personalize refuses ends this recipe; what passes is thrown, for the state machine to try again", async () => {
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
