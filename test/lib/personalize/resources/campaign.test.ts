import { DeleteCampaignCommand, DescribeCampaignCommand, UpdateCampaignCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { chosenRecipeNotes } from "../../../../cli/recommendation/recipe-notes.ts";
import { stepCampaign } from "../../../../lib/personalize/resources/campaign.ts";
import type { ResourceInputGiven } from "../../../../lib/personalize/resources/request.ts";
import { openShop, type Shop, stockShop, trainVersion } from "../../../../packages/local-personalize/test/book-shop.ts";
import { suite } from "../../../suite.ts";
import { failureOf, type Managed, managed } from "./managed.ts";

const test = suite("campaigns of the personalize manager");

let shop: Managed;
let stocked: Shop;
let versions: string[];

test.before(async () => {
  shop = await managed("books");
  stocked = await openShop(shop.harness);
  await stockShop(shop.harness, stocked);
  const names = ["books-similar-items-a", "books-similar-items-b"];
  versions = [];
  for (const name of names)
    versions.push((await trainVersion(shop.harness, stocked, "aws-sims", { name })).solutionVersionArn);
});

test.after(() => shop.stop());

const input: Extract<ResourceInputGiven, { kind: "campaign" }> = {
  kind: "campaign",
  name: "books-similar-items",
  recipe: "similar_items",
  min_provisioned_tps: 1,
};
const arn = "arn:aws:personalize:eu-west-1:123456789012:campaign/books-similar-items";
const describe = async () => (await shop.personalize.send(new DescribeCampaignCommand({ campaignArn: arn }))).campaign;

test("awaits training until there is a version, then serves it", async () => {
  assert.equal(await shop.apply("create", input), {
    kind: "campaign",
    name: input.name,
    arn: null,
    status: "awaiting training",
  });
  shop.versions.set("similar_items", versions[0] ?? "");
  assert.match(await failureOf(shop.apply("create", input, { looks: 0 })), "is still CREATE PENDING");
  assert.is(shop.pointers.values.size, 0);
  assert.is((await shop.apply("create", input)).status, "ACTIVE");
  assert.is((await describe())?.solutionVersionArn, versions[0]);
  assert.is(shop.pointers.values.get(shop.names.campaignParameter("similar_items")), arn);
});

test("a changed TPS is updated in place, and keeps the version that training chose", async () => {
  shop.versions.set("similar_items", versions[1] ?? "");
  await shop.apply("update", { ...input, min_provisioned_tps: 3 }, { before: input });
  const found = await describe();
  assert.equal([found?.minProvisionedTPS, found?.solutionVersionArn], [3, versions[0]]);
  assert.is(shop.standIn.control.counts().CreateCampaign, 1);
});

test("an update keeps the version to which training is switching at the time", async () => {
  const changed = { ...input, min_provisioned_tps: 4 };
  await shop.personalize.send(new UpdateCampaignCommand({ campaignArn: arn, solutionVersionArn: versions[1] }));
  await shop.apply("update", changed, { before: input });
  const found = await describe();
  assert.equal([found?.minProvisionedTPS, found?.solutionVersionArn], [4, versions[1]]);
});

test("a failed update gives the reason, and the next update retries it", async () => {
  shop.standIn.control.failCreation("campaign", "no capacity");
  const changed = { ...input, min_provisioned_tps: 5 };
  assert.match(
    await failureOf(shop.apply("update", changed)),
    "The update of the campaign books-similar-items is CREATE FAILED: no capacity",
  );
  await shop.apply("update", changed);
  assert.is((await describe())?.minProvisionedTPS, 5);
});

test("a deletion takes the campaign out of use first, joins a running deletion, and may be repeated", async () => {
  assert.match(await failureOf(shop.apply("delete", input, { looks: 0 })), "is still DELETE PENDING");
  assert.is(shop.pointers.values.size, 0);
  assert.is((await shop.apply("delete", input)).status, "deleted");
  assert.is((await shop.apply("delete", input)).status, "deleted");
});

test("a campaign that is deleted while it is awaited is not created again, but by the next deployment", async () => {
  const meanwhile = async () => {
    if ((await describe())?.status !== "ACTIVE") return;
    await shop.personalize.send(new DeleteCampaignCommand({ campaignArn: arn }));
  };
  const { CreateCampaign = 0 } = shop.standIn.control.counts();
  assert.match(await failureOf(shop.apply("create", input, { meanwhile })), "was deleted while it was awaited");
  assert.is(shop.standIn.control.counts().CreateCampaign, CreateCampaign + 1);
  assert.is((await shop.apply("create", input)).status, "ACTIVE");
});

test("exploration is changed in place, and waits for a version whose recipe explores", async () => {
  const kind = { ...input, name: "books-user-personalization", recipe: "user_personalization" } as const;
  const exploring = (weight: string) => ({
    ...kind,
    exploration: { explorationWeight: weight, explorationItemAgeCutOff: "30" },
  });
  const campaignArn = arn.replace("similar-items", "user-personalization");
  const found = async () => {
    const { campaign } = await shop.personalize.send(new DescribeCampaignCommand({ campaignArn }));
    return [campaign?.solutionVersionArn, campaign?.campaignConfig?.itemExplorationConfig?.explorationWeight];
  };
  const train = async (recipe: string, name: string) =>
    (await trainVersion(shop.harness, stocked, recipe, { name })).solutionVersionArn;
  const second = await train("aws-user-personalization-v2", "books-user-personalization-a");
  shop.versions.set("user_personalization", second);
  await shop.apply("create", exploring("0.9"));
  assert.equal(await found(), [second, undefined], "v2 does not explore");
  await shop.apply("delete", kind);
  const first = await train("aws-user-personalization", "books-user-personalization-b");
  shop.versions.set("user_personalization", first);
  await shop.apply("create", exploring("0.3"));
  assert.equal(await found(), [first, undefined], "Personalize's default is not named");
  await shop.apply("update", exploring("0.9"));
  assert.equal(await found(), [first, "0.9"]);
  const { UpdateCampaign } = shop.standIn.control.counts();
  await shop.apply("update", exploring("0.9"));
  assert.is(shop.standIn.control.counts().UpdateCampaign, UpdateCampaign);
  await shop.apply("update", exploring("0.3"));
  assert.equal(await found(), [first, "0.3"], "back to the default");
  const step = (solutionVersionArn: string) =>
    stepCampaign(
      shop.personalize,
      { name: kind.name, arn: campaignArn, solutionVersionArn, minProvisionedTps: 1 },
      true,
    );
  assert.is((await step(second)).state, "moving");
  await shop.settle();
  assert.equal([await step(second), ...(await found())], [{ state: "done" }, second, undefined]);
  const solution = {
    recipes: {
      user_personalization: { parameters: [{ name: "bptt", value: 32 }], excluded_dataset_columns: [] },
    },
    metric_gate: { tolerance: 0.1, strict: false },
  };
  assert.equal(await chosenRecipeNotes({ solution, campaigns: {} }, shop.personalize, shop.names), [
    "user_personalization is trained with aws-user-personalization: only that recipe has the parameter bptt",
    "user_personalization: the next training replaces aws-user-personalization-v2 by aws-user-personalization. To keep it, write recipe_name: aws-user-personalization-v2 into solution.yaml",
  ]);
});

test("a name other than the recipe's is refused", async () => {
  assert.match(await failureOf(shop.apply("create", { ...input, name: "mine" })), "is books-similar-items, got mine");
});

test.run();
