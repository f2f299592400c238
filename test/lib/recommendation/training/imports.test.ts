import { CreateDatasetImportJobCommand, ListDatasetImportJobsCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { namesOf } from "../../../../lib/platform/naming/names.ts";
import type { Manifest } from "../../../../lib/recommendation/etl/tasks.ts";
import type { TrainingContext } from "../../../../lib/recommendation/training/context.ts";
import { pollImports, requireInitial, startImports } from "../../../../lib/recommendation/training/imports.ts";
import { suite } from "../../../suite.ts";
import { memoryPointers } from "../../personalize/resources/managed.ts";
import { judged, lockOf, memoryState } from "./memory-state.ts";

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

const pointTo = ({ pointers }: Pick<ReturnType<typeof world>, "pointers">, value: string) =>
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

test("an import that is waited for is told, without recipes: none has begun", async () => {
  const state = memoryState();
  await state.take(lockOf("run"), undefined);
  const send = async () => ({ datasetImportJob: { status: "CREATE PENDING" } });
  const context = { personalize: { send }, state, looks: { imports: 60 } };
  await pollImports("run", [{ dataset: "user", arn: "a" }], context as unknown as TrainingContext);
  assert.equal((await state.lock())?.note, { step: "imports", detail: "users CREATE PENDING", recipes: [] });
});

/** A Personalize that takes imports, each a second later than the last, and starts those of runs over data of this size. */
function importing(rows: Record<"user" | "item" | "interaction", number>, recipes: object = { similar_items: {} }) {
  const jobs: { jobName: string; datasetImportJobArn: string; status: string; creationDateTime?: Date; of: string }[] =
    [];
  const personalize = {
    async send(command: unknown) {
      if (command instanceof ListDatasetImportJobsCommand) {
        return { datasetImportJobs: jobs.filter(({ of }) => of === command.input.datasetArn) };
      }
      assert.instance(command, CreateDatasetImportJobCommand);
      const { jobName = "", datasetArn = "" } = (command as CreateDatasetImportJobCommand).input;
      const datasetImportJobArn = `job ${jobs.length}`;
      const creationDateTime = new Date(jobs.length * 1_000);
      jobs.push({ jobName, datasetImportJobArn, status: "ACTIVE", creationDateTime, of: datasetArn });
      return { datasetImportJobArn };
    },
  };
  const dataset = (count: number) => ({ folder: "f/", files: [], rows: count, rejected: 0, rejects: [] });
  const manifest: Manifest = {
    run: "run",
    mode: "init",
    from: "2026-01-01",
    to: "2026-01-02",
    user: dataset(rows.user),
    item: dataset(rows.item),
    interaction: dataset(rows.interaction),
    duplicates: 0,
    impressions_left_out: 7,
    event_types: {},
    event_types_left_out: {},
    unknown: { items: 0, users: 0, examples: [] },
    checks: [],
  };
  const own = world();
  const store = { read: async () => [Buffer.from(JSON.stringify(manifest))] };
  const context = { ...own, personalize, store, bucket: "b", importRoleArn: "r", settings: { tags: {}, recipes } };
  const start = (origin: string, data: string) =>
    startImports({ run: "run", origin, data }, context as unknown as TrainingContext).then(
      (started) => started.jobs.map(({ arn }) => arn),
      (error: Error) => error.message,
    );
  return { ...own, jobs, start };
}

test("nothing is imported without recipes", async () => {
  assert.equal(await importing({ user: 1, item: 1, interaction: 1 }, {}).start("a", "1"), []);
});

test("a run takes up the imports of its own chain and data, and of no other", async () => {
  const { jobs, start } = importing({ user: 1, item: 0, interaction: 1 });
  assert.equal(await start("a", "1"), ["job 0", "job 1"]);
  assert.equal(await start("a", "1"), ["job 0", "job 1"]);
  assert.equal(await start("a", "2"), ["job 2", "job 3"]);
  // The service may leave the time out.
  for (const job of jobs.slice(0, 2)) delete job.creationDateTime;
  assert.equal(await start("a", "2"), ["job 2", "job 3"]);
  assert.equal(await start("b", "2"), ["job 4", "job 5"]);
  // Others have replaced the data since.
  assert.equal(await start("a", "1"), ["job 6", "job 7"]);
  for (const job of jobs) job.status = "CREATE FAILED";
  assert.equal(await start("a", "1"), ["job 8", "job 9"]);
});

test("events are not imported twice in mode init, but an import of them that is there is taken up", async () => {
  const trained = importing({ user: 1, item: 0, interaction: 1 });
  await trained.start("a", "1");
  await pointTo(trained, "arn:campaign");
  assert.equal(await trained.start("a", "1"), ["job 0", "job 1"]);
  // Only that of the users has failed.
  for (const job of trained.jobs) if (/USERS/.test(job.of)) job.status = "CREATE FAILED";
  assert.equal(await trained.start("a", "1"), ["job 2", "job 1"]);
  assert.match(String(await trained.start("b", "1")), "would train events twice");
  assert.is(trained.jobs.length, 3, "nothing was imported");
});

test.run();
