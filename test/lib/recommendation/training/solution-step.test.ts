import { DescribeSolutionVersionCommand, ListSolutionVersionsCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { namesOf } from "../../../../lib/core/naming/names.ts";
import { personalizeOf } from "../../../../lib/personalize/resources/personalize.ts";
import { solutionInput } from "../../../../lib/recommendation/training/solution-input.ts";
import { stepSolution, stepVersion } from "../../../../lib/recommendation/training/solution-step.ts";
import { openShop, stockShop } from "../../../local/personalize/book-shop.ts";
import { ACCOUNT, REGION, startPersonalize } from "../../../local/personalize/harness.ts";
import { suite } from "../../../suite.ts";
import { failureOf } from "../../personalize/resources/managed.ts";

const test = suite("solutions and versions of a training");

const harness = await startPersonalize();
const { standIn, settle } = harness;
const personalize = personalizeOf(harness.personalize, { wait: async () => {} });
const names = namesOf({ project: "books", account: ACCOUNT, region: REGION });
const settings = {
  recipe_name: "aws-sims",
  parameters: [],
  excluded_dataset_columns: [],
  min_provisioned_tps: 1,
  columns: "0",
};
const input = solutionInput(names, "similar_items", settings);
const solutionArn = names.arn("personalize", `solution/${input.name}`);

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
