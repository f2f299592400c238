import * as assert from "uvu/assert";
import { namesOf } from "../../../../lib/core/naming/names.ts";
import { pollImports, requireInitial } from "../../../../lib/recommendation/training/imports.ts";
import { suite } from "../../../suite.ts";
import { memoryPointers } from "../../personalize/resources/managed.ts";
import { judged, memoryState } from "./memory-state.ts";

const test = suite("mode init after a campaign has served");

const names = namesOf({ project: "books", account: "123456789012", region: "eu-west-1" });

function world() {
  const context = { names, state: memoryState(), pointers: memoryPointers() };
  const refusal = (impressions_left_out: number) =>
    requireInitial({ impressions_left_out }, context).then(
      () => undefined,
      (error: Error) => `${error.name}: ${error.message}`,
    );
  return { ...context, refusal };
}

const pointTo = ({ pointers }: ReturnType<typeof world>, value: string) =>
  pointers.write(names.campaignParameter("similar_items"), value);

test("is refused when it leaves out impressions, with their number and what to do", async () => {
  const trained = world();
  await pointTo(trained, names.arn("personalize", "campaign/books-similar-items"));
  assert.is(
    await trained.refusal(1_203),
    "TrainingError: similar_items is trained already, so mode init would train events twice: 1,203 carry IMPRESSION, " +
      "which init leaves out, while those that came in since went to Personalize with it. Nothing was imported. Train " +
      "with --training-mode update_dataset_group (in solution.yaml: retraining.training_mode)",
  );
});

test("is refused even after the campaign is gone, since Personalize keeps received events", async () => {
  const trained = world();
  await trained.state.saveRecipe("user_personalization", { active: judged("v"), held: [], revision: 1 });
  assert.match((await trained.refusal(1)) ?? "", "user_personalization is trained already");
});

test("is accepted when it leaves nothing out, as always in mode update_dataset_group", async () => {
  const trained = world();
  await pointTo(trained, "arn:x");
  assert.is(await trained.refusal(0), undefined);
});

test("is accepted before the first campaign serves, even if a recipe awaits training or was held back", async () => {
  const untrained = world();
  await pointTo(untrained, "awaiting training");
  await untrained.state.saveRecipe("user_personalization", { held: [judged("v")], revision: 1 });
  assert.is(await untrained.refusal(5), undefined);
});

/** Polls imports of users and items that have these statuses. */
function poll(statuses: readonly string[]) {
  const left = [...statuses];
  const personalize = {
    send: async () => ({ datasetImportJob: { status: left.shift(), failureReason: "a bad row" } }),
  };
  const jobs = [
    { dataset: "user", arn: "a" },
    { dataset: "item", arn: "b" },
  ];
  const context = { personalize, state: { note: async () => undefined }, looks: { imports: 60 } };
  return pollImports("run", jobs as never, context as never).catch((error: Error) => error.message);
}

test("imports are waited for until the last has ended, also when another has failed already", async () => {
  assert.equal(await poll(["ACTIVE", "CREATE IN_PROGRESS"]), { ready: false, seconds: 60 });
  assert.equal(await poll(["CREATE FAILED", "CREATE PENDING"]), { ready: false, seconds: 60 });
  assert.equal(await poll(["ACTIVE", "ACTIVE"]), { ready: true, seconds: 0 });
  assert.match(String(await poll(["ACTIVE", "CREATE FAILED"])), /items is CREATE FAILED: a bad row/);
});

test.run();
