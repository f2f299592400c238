import {
  CreateDatasetCommand,
  CreateDatasetGroupCommand,
  CreateDatasetImportJobCommand,
  CreateEventTrackerCommand,
  CreateFilterCommand,
  CreateSchemaCommand,
  DeleteDatasetCommand,
  DeleteDatasetGroupCommand,
  DeleteSchemaCommand,
  DescribeAlgorithmCommand,
  DescribeDatasetGroupCommand,
  DescribeFilterCommand,
  DescribeRecipeCommand,
  ListDatasetGroupsCommand,
  ListDatasetImportJobsCommand,
  ListFiltersCommand,
  ListRecipesCommand,
  ListTagsForResourceCommand,
  TagResourceCommand,
  UntagResourceCommand,
} from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { avro, openShop } from "./book-shop.ts";
import { errorOf, NOW, ROLE, standInTests } from "./harness.ts";

const test = suite("local Personalize: control plane");

const RECIPE = "arn:aws:personalize:::recipe/aws-user-personalization";

const on = standInTests(test);

on("takes a dataset group from pending through in progress to ACTIVE, and deletes it likewise", async (harness) => {
  const { personalize, standIn } = harness;
  const { datasetGroupArn } = await personalize.send(new CreateDatasetGroupCommand({ name: "shop" }));
  assert.is(datasetGroupArn, "arn:aws:personalize:eu-west-1:123456789012:dataset-group/shop");
  const describe = async () =>
    (await personalize.send(new DescribeDatasetGroupCommand({ datasetGroupArn }))).datasetGroup;
  assert.is((await describe())?.status, "CREATE PENDING");
  assert.equal((await describe())?.creationDateTime, new Date(NOW));
  await standIn.control.advance(100);
  assert.is((await describe())?.status, "CREATE IN_PROGRESS");
  await standIn.control.advance(300);
  assert.is((await describe())?.status, "ACTIVE");
  assert.equal((await describe())?.lastUpdatedDateTime, new Date(NOW + 400));
  await personalize.send(new DeleteDatasetGroupCommand({ datasetGroupArn }));
  assert.is((await describe())?.status, "DELETE PENDING");
  assert.is(
    (await errorOf(personalize.send(new DeleteDatasetGroupCommand({ datasetGroupArn })))).name,
    "ResourceInUseException",
  );
  await standIn.control.advance(100);
  assert.is((await describe())?.status, "DELETE IN_PROGRESS");
  await standIn.control.advance(300);
  assert.is((await errorOf(describe())).name, "ResourceNotFoundException");
});

on("can make a creation fail with a reason, and a call a given number of times; counts calls", async (harness) => {
  const { personalize, standIn, settle } = harness;
  standIn.control.failCreation("dataset-group", "no luck");
  const { datasetGroupArn } = await personalize.send(new CreateDatasetGroupCommand({ name: "shop" }));
  await settle();
  const { datasetGroup } = await personalize.send(new DescribeDatasetGroupCommand({ datasetGroupArn }));
  assert.equal([datasetGroup?.status, datasetGroup?.failureReason], ["CREATE FAILED", "no luck"]);
  standIn.control.failNext("ListDatasetGroups", { code: "ThrottlingException", message: "slow down", times: 2 });
  const list = () => errorOf(personalize.send(new ListDatasetGroupsCommand({})));
  assert.equal(
    [(await list()).name, (await list()).message, (await list()).name],
    ["ThrottlingException", "slow down", "none"],
  );
  standIn.control.failNext("ListDatasetGroups");
  assert.is((await list()).status, 500);
  assert.is(standIn.control.counts().ListDatasetGroups, 4);
});

on(
  "returns lists in pages, in order of creation, of at most five dataset groups with different names",
  async ({ personalize }) => {
    const create = (name: string) => personalize.send(new CreateDatasetGroupCommand({ name }));
    for (const name of ["a", "b", "c", "d", "e"]) await create(name);
    const names: (string | undefined)[][] = [];
    let nextToken: string | undefined;
    do {
      const page = await personalize.send(new ListDatasetGroupsCommand({ maxResults: 2, nextToken }));
      names.push(page.datasetGroups?.map(({ name }) => name) ?? []);
      nextToken = page.nextToken;
    } while (nextToken);
    assert.equal(names, [["a", "b"], ["c", "d"], ["e"]]);
    const wrong = personalize.send(new ListDatasetGroupsCommand({ nextToken: "made-up" }));
    assert.is((await errorOf(wrong)).name, "InvalidNextTokenException");
    assert.is((await errorOf(create("f"))).name, "LimitExceededException");
    const twice = await errorOf(create("a"));
    assert.is(twice.name, "ResourceAlreadyExistsException");
    assert.match(twice.message, /^Another resource with Arn .*dataset-group\/a already exists/);
  },
);

/** Members that break a constraint of the API model, and the service's message. */
const CONSTRAINTS: readonly [object, RegExp][] = [
  [{ name: "" }, /Value '' at 'name' failed to satisfy constraint: Member must have length greater than or equal to 1/],
  [{ name: "-a" }, /Value '-a' at 'name' .*regular expression pattern: \^\[a-zA-Z0-9\]/],
  [{ name: "a".repeat(64) }, /less than or equal to 63/],
  [{}, /Value null at 'name' failed to satisfy constraint: Member must not be null/],
  [{ name: 5 }, /at 'name' .*Member must be of type string/],
  [{ name: "a", roleArn: "nobody" }, /Value 'nobody' at 'roleArn'/],
  [{ name: "a", domain: "SHOES" }, /Value 'SHOES' at 'domain' .*enum value set/],
  [{ name: "a", tags: [{ tagKey: "" }] }, /^2 validation errors detected: .*tags\.0\.tagKey.*tags\.0\.tagValue/],
];

on("CreateDatasetGroup refuses what breaks a constraint of the API model", async ({ endpoint }) => {
  const headers = {
    "x-amz-target": "AmazonPersonalize.CreateDatasetGroup",
    "content-type": "application/x-amz-json-1.1",
  };
  for (const [input, message] of CONSTRAINTS) {
    const response = await fetch(endpoint, { method: "POST", headers, body: JSON.stringify(input) });
    const { __type, message: text } = (await response.json()) as { __type: string; message: string };
    assert.equal([response.status, __type], [400, "InvalidInputException"]);
    assert.match(text, message);
  }
});

on("rejects an unknown operation by name", async ({ endpoint }) => {
  const headers = { "x-amz-target": "AmazonPersonalize.CreateRecommender" };
  const response = await fetch(endpoint, { method: "POST", headers, body: "{}" });
  assert.match(await response.text(), /UnknownOperationException.*no operation CreateRecommender/);
});

on("allows one dataset of each type and one tracker in a group, and protects schema and group", async (harness) => {
  const { personalize, settle } = harness;
  const { groupArn, datasets } = await openShop(harness);
  const { datasetGroupArn: other } = await personalize.send(new CreateDatasetGroupCommand({ name: "other" }));
  const schemaArn = datasets.Items.replace(/dataset\/.*/, "schema/books-Items");
  const create = (datasetGroupArn: string | undefined, datasetType: string) =>
    personalize.send(new CreateDatasetCommand({ name: "d", schemaArn, datasetGroupArn, datasetType }));
  assert.match((await errorOf(create(other, "Items"))).message, /is not ACTIVE, it is CREATE PENDING/);
  await settle();
  assert.match((await errorOf(create(other, "Users"))).message, /the dataset is of type USERS/);
  assert.match((await errorOf(create(other, "Actions"))).message, /Interactions, Items or Users here, got Actions/);
  assert.is((await errorOf(create(groupArn, "Items"))).name, "ResourceAlreadyExistsException");
  const schemaInUse = await errorOf(personalize.send(new DeleteSchemaCommand({ schemaArn })));
  assert.is(schemaInUse.name, "ResourceInUseException");
  assert.match(schemaInUse.message, /in use by dataset .*\/ITEMS/);
  const second = personalize.send(new CreateEventTrackerCommand({ name: "two", datasetGroupArn: groupArn }));
  assert.is((await errorOf(second)).name, "ResourceAlreadyExistsException");
  const groupInUse = personalize.send(new DeleteDatasetGroupCommand({ datasetGroupArn: groupArn }));
  assert.is((await errorOf(groupInUse)).name, "ResourceInUseException");
  await personalize.send(new DeleteDatasetCommand({ datasetArn: datasets.Items }));
  await settle();
  assert.is((await errorOf(personalize.send(new DeleteSchemaCommand({ schemaArn })))).name, "none");
});

on("allows at most 30 filters in a group, and locates the error in a wrong expression", async (harness) => {
  const { personalize, settle } = harness;
  const { groupArn } = await openShop(harness);
  const create = (name: string, filterExpression: string) =>
    personalize.send(new CreateFilterCommand({ name, datasetGroupArn: groupArn, filterExpression }));
  const wrong = await errorOf(create("w", "INCLUDE ItemID WHERE Items.COLOUR IN ($C)"));
  assert.is(wrong.name, "InvalidInputException");
  assert.match(
    wrong.message,
    /^Could not create filter\. Invalid Expression: Items\.COLOUR is not in the schema.*\(at position 22\)$/,
  );
  assert.match((await errorOf(create("w", "INCLUDE ItemID WHERE Items.BLURB IN ($C)"))).message, /textual/);
  for (let number = 0; number < 30; number += 1)
    await create(`f${number}`, `INCLUDE ItemID WHERE Items.PRICE > ${number}`);
  const another = await errorOf(create("f30", "INCLUDE ItemID WHERE Items.PRICE > 30"));
  assert.is(another.name, "LimitExceededException");
  assert.is(
    (await errorOf(create("f9", "INCLUDE ItemID WHERE Items.PRICE > 10"))).name,
    "ResourceAlreadyExistsException",
  );
  await settle();
  const { Filters } = await personalize.send(new ListFiltersCommand({ datasetGroupArn: groupArn }));
  assert.equal(
    Filters?.map(({ status }) => status),
    Array(30).fill("ACTIVE"),
  );
  const { filter } = await personalize.send(new DescribeFilterCommand({ filterArn: Filters?.[3]?.filterArn }));
  assert.is(filter?.filterExpression, "INCLUDE ItemID WHERE Items.PRICE > 3");
});

on("allows at most five imports at once", async (harness) => {
  const { datasets } = await openShop(harness);
  harness.files.set("data/items.csv", "ITEM_ID,CATEGORIES,PRICE,BLURB,IS_ACTIVE\n");
  const create = (jobName: string) =>
    harness.personalize.send(
      new CreateDatasetImportJobCommand({
        jobName,
        datasetArn: datasets.Items,
        dataSource: { dataLocation: "s3://data/items.csv" },
        roleArn: ROLE,
      }),
    );
  for (const name of ["a", "b", "c", "d", "e"]) await create(name);
  const sixth = await errorOf(create("f"));
  assert.is(sixth.name, "LimitExceededException");
  assert.match(sixth.message, /^More than 5 resources with PENDING or IN_PROGRESS status/);
  const deletion = harness.personalize.send(new DeleteDatasetCommand({ datasetArn: datasets.Items }));
  assert.is((await errorOf(deletion)).name, "ResourceInUseException");
  await harness.settle();
  const { datasetImportJobs } = await harness.personalize.send(
    new ListDatasetImportJobsCommand({ datasetArn: datasets.Items }),
  );
  assert.is(datasetImportJobs?.length, 5);
});

on("describes recipes with their hyperparameters", async ({ personalize }) => {
  const { recipes } = await personalize.send(new ListRecipesCommand({ recipeProvider: "SERVICE" }));
  assert.ok(recipes?.some(({ name }) => name === "aws-sims"));
  const { recipe } = await personalize.send(
    new DescribeRecipeCommand({ recipeArn: RECIPE.replace("user-personalization", "sims") }),
  );
  assert.is(recipe?.recipeType, "RELATED_ITEMS");
  const { algorithm } = await personalize.send(new DescribeAlgorithmCommand({ algorithmArn: recipe?.algorithmArn }));
  assert.equal(algorithm?.defaultHyperParameters, { popularity_discount_factor: "0.5", min_cointeraction_count: "3" });
});

on("keeps at most fifty tags", async ({ personalize }) => {
  const tags = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => ({ tagKey: `k${from + index}`, tagValue: "v" }));
  const tooMany = personalize.send(new CreateDatasetGroupCommand({ name: "a", tags: tags(51) }));
  assert.is((await errorOf(tooMany)).name, "TooManyTagsException");
  const { datasetGroupArn: resourceArn } = await personalize.send(
    new CreateDatasetGroupCommand({ name: "a", tags: tags(49) }),
  );
  await personalize.send(new TagResourceCommand({ resourceArn, tags: tags(2, 48) }));
  assert.is(
    (await errorOf(personalize.send(new TagResourceCommand({ resourceArn, tags: tags(1, 50) })))).name,
    "TooManyTagsException",
  );
  await personalize.send(new UntagResourceCommand({ resourceArn, tagKeys: tags(49).map(({ tagKey }) => tagKey) }));
  assert.equal((await personalize.send(new ListTagsForResourceCommand({ resourceArn }))).tags, [
    { tagKey: "k49", tagValue: "v" },
  ]);
});

on("allows at most twenty distinct fields in all filters of a group together", async ({ personalize, settle }) => {
  const { datasetGroupArn } = await personalize.send(new CreateDatasetGroupCommand({ name: "wide" }));
  const fields = Array.from({ length: 22 }, (_, number) => ({ name: `F${number}`, type: "int" }));
  const schema = avro("Items", [{ name: "ITEM_ID", type: "string" }, ...fields]);
  const { schemaArn } = await personalize.send(new CreateSchemaCommand({ name: "wide", schema }));
  await settle();
  await personalize.send(new CreateDatasetCommand({ name: "wide", schemaArn, datasetGroupArn, datasetType: "Items" }));
  const create = (name: string, ...numbers: readonly number[]) => {
    const filterExpression = `INCLUDE ItemID WHERE ${numbers.map((number) => `Items.F${number} = 1`).join(" AND ")}`;
    return errorOf(personalize.send(new CreateFilterCommand({ name, datasetGroupArn, filterExpression })));
  };
  assert.is((await create("a", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)).name, "none");
  assert.is((await create("b", 10, 11, 12, 13, 14, 15, 16, 17, 18, 19)).name, "none");
  assert.match((await create("c", 20)).message, /at most 20 distinct fields together/);
  assert.is((await create("d", 19, 0)).name, "none");
});

test.run();
