import { DescribeCampaignCommand, ListSolutionsCommand } from "@aws-sdk/client-personalize";
import { GetRecommendationsCommand } from "@aws-sdk/client-personalize-runtime";
import { GetParameterCommand } from "@aws-sdk/client-ssm";
import * as assert from "uvu/assert";
import { readText } from "../../lib/platform/aws/object-store.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { itemKey, readBuiltIn, userKey } from "../../lib/recommendation/clients/built-in-table.ts";
import { dynamoTrainingState } from "../../lib/recommendation/training/state.ts";
import { createTables } from "../../packages/local/dev/resources.ts";
import { readManifest } from "../lib/recommendation/etl/run.ts";
import { keepsConditions } from "../lib/recommendation/training/memory-state.ts";
import { NDCG_ANY } from "../lib/recommendation/training/settings.ts";
import { tasteEvents } from "../lib/recommendation/training/taste-events.ts";
import { type TrainingWorld, trainingWorld } from "../lib/recommendation/training/world.ts";
import { suite } from "../suite.ts";

const test = suite("training on the local AWS endpoint");

let world: TrainingWorld;

test.before(async () => {
  world = await trainingWorld({ project: "trained" });
  await world.deployPersonalize();
  await world.setProfiles(60, 100);
  await world.setEvents(tasteEvents(60, 30));
});

test.after(() => world.stop());

const campaign = (recipe: "user_personalization" | "similar_items" | "personalized_ranking") =>
  world.names.arn("personalize", `campaign/${world.names.campaign(recipe)}`);

const served = async () => {
  const { campaign: found } = await world.personalize.send(
    new DescribeCampaignCommand({ campaignArn: campaign("user_personalization") }),
  );
  return found?.solutionVersionArn ?? "";
};

async function impressions(run: string): Promise<Set<string>> {
  const manifest = await readManifest(world.store, run);
  const texts = await Promise.all((manifest?.interaction.files ?? []).map(({ key }) => readText(world.store, key)));
  const rows = texts.flatMap((text) => (text ?? "").trimEnd().split("\n").slice(1));
  return new Set(rows.map((row) => row.slice(row.lastIndexOf(",") + 1).replaceAll('"', "")));
}

test("mode init turns stored events into three campaigns, without impressions", async () => {
  const { status, cause, output } = await world.ended(await world.start("first", { mode: "init" }));
  assert.is(status, "SUCCEEDED", cause);
  assert.equal(
    output.recipes.map(({ recipe, stage }: { recipe: string; stage: string }) => [recipe, stage]),
    [
      ["user_personalization", "done"],
      ["similar_items", "done"],
      ["personalized_ranking", "done"],
    ],
  );
  assert.equal(await impressions("first"), new Set([""]));
  for (const recipe of ["user_personalization", "similar_items", "personalized_ranking"] as const) {
    const { Parameter } = await world.ssm.send(
      new GetParameterCommand({ Name: world.names.campaignParameter(recipe) }),
    );
    assert.is(Parameter?.Value, campaign(recipe));
  }
  const { itemList = [] } = await world.runtime.send(
    new GetRecommendationsCommand({ campaignArn: campaign("user_personalization"), userId: "U1", numResults: 5 }),
  );
  assert.is(itemList.length, 5);
  assert.is(await world.state.lock(), undefined, "the lock is given back");
  assert.match(
    output.summary,
    /Personalize [01]\.\d+, built-in engine [01]\.\d+ \([01]\.\d+ to [01]\.\d+\), popularity [01]\.\d+/,
  );
  const read = readBuiltIn(async () => world.dynamo, world.names.table("built-in"), 60_000);
  const found = await read([itemKey("B0"), userKey("U1")], { remaining: () => 60_000 });
  assert.equal(
    [...found.values()].map(({ RUN, ITEMS }) => [RUN, ITEMS.length > 10]),
    [
      ["first", true],
      ["first", true],
    ],
  );
});

test("mode update_dataset_group imports impressions and switches to a new version", async () => {
  const before = await served();
  const { status, cause } = await world.ended(await world.start("second", { mode: "update_dataset_group" }));
  assert.is(status, "SUCCEEDED", cause);
  assert.equal(await impressions("second"), new Set(["B1|B2"]));
  const now = await served();
  assert.is.not(now, before);
  assert.is(now.split("/")[1], before.split("/")[1], "the same settings are the same solution");
});

test("mode init is refused while a campaign serves, and imports nothing", async () => {
  const imports = () => world.control.counts().CreateDatasetImportJob;
  const before = imports();
  const { error, cause } = await world.ended(await world.start("init-again", { mode: "init" }));
  assert.is(error, "TrainingError");
  assert.match(cause, "user_personalization is trained already, so mode init would train events twice: 1,800 carry");
  assert.is(imports(), before);
});

test("changed settings create another solution, and the superseded one is removed once the campaign has switched", async () => {
  const [, before] = (await served()).split("/");
  const user_personalization = {
    recipe_name: "aws-user-personalization",
    parameters: [{ name: "hidden_dimension", value: 64 }],
    excluded_dataset_columns: [],
    min_provisioned_tps: 2,
    columns: "0",
  };
  await world.redeploy({ ...NDCG_ANY, recipes: { ...NDCG_ANY.recipes, user_personalization } });
  const { status, cause, output } = await world.ended(
    await world.start("third", { mode: "update_dataset_group", recipes: ["user_personalization"] }),
  );
  assert.is(status, "SUCCEEDED", cause);
  assert.equal(output.removed, [before]);
  await world.control.advance(1_000);
  const { solutions = [] } = await world.personalize.send(new ListSolutionsCommand({}));
  const left = solutions.map(({ name = "" }) => name).filter((name) => name.startsWith("trained-user"));
  assert.equal(left, [(await served()).split("/")[1]]);
  const { campaign: found } = await world.personalize.send(
    new DescribeCampaignCommand({ campaignArn: campaign("user_personalization") }),
  );
  assert.is(found?.minProvisionedTPS, 2);
});

test("keeps the conditions on the lock and on the records of recipes in DynamoDB", async () => {
  const names = namesOf({ project: "conditions", account: world.cloud.accountId, region: world.cloud.region });
  await createTables(world.dynamo, names, ["training"]);
  await keepsConditions(dynamoTrainingState(world.dynamo, names.table("training")));
});

test("trains nothing by itself", async () => {
  assert.is(world.control.counts().UpdateSolution, undefined);
});

test.run();
