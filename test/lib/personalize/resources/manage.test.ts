import {
  CreateDatasetGroupCommand,
  CreateDatasetImportJobCommand,
  CreateFilterCommand,
  CreateSchemaCommand,
  CreateSolutionCommand,
  DeleteDatasetGroupCommand,
  DescribeDatasetCommand,
  ListSchemasCommand,
  ListTagsForResourceCommand,
  UpdateDatasetCommand,
} from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { readInventory } from "../../../../lib/personalize/resources/inventory.ts";
import type { ResourceInputGiven } from "../../../../lib/personalize/resources/request.ts";
import { PROJECT_TAG } from "../../../../lib/platform/naming/tags.ts";
import type { AvroSchema } from "../../../../lib/settings/avro.ts";
import { suite } from "../../../suite.ts";
import { DEFINITIONS } from "../../recommendation/etl/run.ts";
import { basicInputs, filterInput } from "./inputs.ts";
import { failureOf, type Managed, managed } from "./managed.ts";

const test = suite("personalize manager");

let shop: Managed;

test.before.each(async () => {
  shop = await managed();
});

test.after.each(() => shop.stop());

const deployed = async () => {
  for (const input of basicInputs(shop.names)) await shop.apply("create", input);
};
const READ = 'EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("read")';
const ofAuthor = (author: string) => `INCLUDE ItemID WHERE Items.AUTHOR IN ("${author}")`;

test("creates all resources in order, and changes nothing when repeated", async () => {
  const first = [];
  for (const input of basicInputs(shop.names)) first.push(await shop.apply("create", input));
  assert.ok(first.every(({ status }) => status === "ACTIVE"));
  const counts = { ...shop.standIn.control.counts() };
  const second = [];
  for (const input of basicInputs(shop.names)) second.push(await shop.apply("create", input));
  assert.equal(second, first);
  const after = shop.standIn.control.counts();
  for (const name of ["CreateDatasetGroup", "CreateDataset", "CreateEventTracker"])
    assert.is(after[name], counts[name]);
  const { event_tracker } = await readInventory(shop.personalize, shop.names);
  assert.is(shop.pointers.values.get(shop.names.eventTrackerParameter()), event_tracker?.tracking_id);
});

test("says what is still in progress when cut off after each poll, and joins it when repeated", async () => {
  for (const input of basicInputs(shop.names)) {
    const failures: string[] = [];
    for (let tries = 0; tries < 5; tries += 1) {
      const failure = await failureOf(shop.apply("create", input, { looks: 0 }));
      if (failure === "no error") break;
      failures.push(failure);
      // Personalize continues between two invocations.
      await shop.standIn.control.advance(150);
    }
    if (input.kind === "schema") assert.equal(failures, []);
    else {
      assert.ok(failures.length > 0, `${input.kind} was never cut off`);
      for (const failure of failures)
        assert.match(failure, /^StillInProgress: .* is still CREATE (PENDING|IN_PROGRESS): apply again/);
    }
  }
  const { datasets } = await readInventory(shop.personalize, shop.names);
  assert.is(datasets.length, 3);
  assert.is(shop.standIn.control.counts().CreateDataset, 3);
});

test("recreates a resource whose creation has failed", async () => {
  shop.standIn.control.failCreation("dataset-group", "out of luck");
  const [group] = basicInputs(shop.names);
  const input = group as ResourceInputGiven;
  assert.is(
    await failureOf(shop.apply("create", input)),
    "ManagerError: The dataset group shop is CREATE FAILED: out of luck",
  );
  assert.is((await shop.apply("create", input)).status, "ACTIVE");
});

test("refuses to delete resources with data unless the input allows it, and deletes in reverse order", async () => {
  await deployed();
  for (const input of basicInputs(shop.names).toReversed()) {
    assert.match(await failureOf(shop.apply("delete", input)), /is protected.*relevance uninstall/);
  }
  const [group] = basicInputs(shop.names, { deletable: true });
  assert.match(
    await failureOf(shop.apply("delete", group as ResourceInputGiven)),
    "still holds the event tracker shop-events.",
  );
  for (const input of basicInputs(shop.names, { deletable: true }).toReversed()) {
    assert.equal((await shop.apply("delete", input)).status, "deleted");
    assert.equal((await shop.apply("delete", input)).status, "deleted", "again is no error");
  }
  assert.equal((await readInventory(shop.personalize, shop.names)).dataset_group, null);
  assert.equal((await shop.personalize.send(new ListSchemasCommand({}))).schemas, []);
  assert.is(shop.pointers.values.size, 0);
});

test("neither joins nor recreates a dataset group of the same name that the project did not create", async () => {
  const tags = [{ tagKey: PROJECT_TAG, tagValue: "other" }];
  const ours = { kind: "dataset_group", name: "shop", tags: { [PROJECT_TAG]: "shop" } } as const;
  const { datasetGroupArn } = await shop.personalize.send(new CreateDatasetGroupCommand({ name: "shop", tags }));
  await shop.settle();
  assert.match(
    await failureOf(shop.apply("create", ours)),
    /^ManagerError: There is a dataset group shop that this project did not create: its tag relevance:project is other, .*another project_name/,
  );
  await shop.personalize.send(new DeleteDatasetGroupCommand({ datasetGroupArn }));
  await shop.settle();

  shop.standIn.control.failCreation("dataset-group", "out of luck");
  await shop.personalize.send(new CreateDatasetGroupCommand({ name: "shop" }));
  await shop.settle();
  assert.match(await failureOf(shop.apply("create", ours)), "it has no tag relevance:project");
  assert.is(shop.standIn.control.counts().DeleteDatasetGroup, 1, "the other one is left as it is");
});

test("joins a dataset group that an earlier run of the project left behind", async () => {
  const ours = { kind: "dataset_group", name: "shop", tags: { [PROJECT_TAG]: "shop" } } as const;
  assert.match(await failureOf(shop.apply("create", ours, { looks: 0 })), "StillInProgress");
  assert.is((await shop.apply("create", ours)).status, "ACTIVE");
  assert.is(shop.standIn.control.counts().CreateDatasetGroup, 1);
});

test("names what prevents the deletion of a dataset group and of a dataset", async () => {
  await deployed();
  const datasetGroupArn = shop.names.arn("personalize", "dataset-group/shop");
  const recipeArn = "arn:aws:personalize:::recipe/aws-sims";
  await shop.personalize.send(new CreateSolutionCommand({ name: "by-hand", datasetGroupArn, recipeArn }));
  const INPUTS = basicInputs(shop.names, { deletable: true });
  assert.match(
    await failureOf(shop.apply("delete", INPUTS[0] as ResourceInputGiven)),
    "still holds the solution by-hand, the event tracker shop-events. Remove by hand what was made by hand",
  );
  await shop.settle();
  await shop.personalize.send(
    new CreateDatasetImportJobCommand({
      jobName: "nightly",
      datasetArn: shop.names.datasetArn("item"),
      dataSource: { dataLocation: "s3://data/items.csv" },
      roleArn: "arn:aws:iam::123456789012:role/personalize",
    }),
  );
  const item = INPUTS.find((input) => input.kind === "dataset" && input.dataset === "item");
  assert.match(
    await failureOf(shop.apply("delete", item as ResourceInputGiven)),
    "The dataset shop-item is in use by the import nightly (CREATE PENDING). Stop what was started by hand, or wait",
  );
});

test("does not recreate manually removed resources in an update that allows deletion", async () => {
  for (const input of basicInputs(shop.names, { deletable: true })) {
    assert.is((await shop.apply("update", input)).status, "may be deleted");
  }
  assert.equal((await readInventory(shop.personalize, shop.names)).dataset_group, null);
  assert.equal((await shop.personalize.send(new ListSchemasCommand({}))).schemas, []);
});

test("refuses to rename a dataset group, and says what to do", async () => {
  await deployed();
  const before = { kind: "dataset_group", name: "shop" } as const;
  const failure = await failureOf(shop.apply("update", { ...before, name: "shop2" }, { before }));
  assert.match(failure, /cannot be renamed to shop2.*Keep project_name/);
});

test("moves to a schema with a new nullable field, and deletes the old schema", async () => {
  await deployed();
  const old = basicInputs(shop.names).find((input) => input.kind === "dataset" && input.dataset === "item");
  const schema = structuredClone(DEFINITIONS.schemas.item);
  schema.fields.push({ name: "PRICE", type: ["null", "float"] });
  const name = shop.names.schema("item", schema);
  await shop.apply("update", { kind: "schema", name, schema });
  const input = { ...(old as Extract<ResourceInputGiven, { kind: "dataset" }>), schema: name };
  await shop.apply("update", input, { before: old as ResourceInputGiven });
  const { dataset } = await shop.personalize.send(
    new DescribeDatasetCommand({ datasetArn: shop.names.datasetArn("item") }),
  );
  assert.match(dataset?.schemaArn ?? "", new RegExp(`/${name}$`));
  const { schemas = [] } = await shop.personalize.send(new ListSchemasCommand({}));
  assert.is(schemas.length, 3);
});

test("deletes a dataset's old schemas, even if the move ended between two invocations, and keeps others", async () => {
  await deployed();
  const schema = structuredClone(DEFINITIONS.schemas.item);
  schema.fields.push({ name: "PRICE", type: ["null", "float"] });
  const name = shop.names.schema("item", schema);
  await shop.apply("update", { kind: "schema", name, schema });
  await shop.personalize.send(new CreateSchemaCommand({ name: "shop-item-theirs", schema: JSON.stringify(schema) }));
  const schemaArn = shop.names.arn("personalize", `schema/${name}`);
  await shop.personalize.send(new UpdateDatasetCommand({ datasetArn: shop.names.datasetArn("item"), schemaArn }));
  await shop.settle();
  await shop.apply("update", { kind: "dataset", name: shop.names.dataset("item"), dataset: "item", schema: name });
  const { schemas = [] } = await shop.personalize.send(new ListSchemasCommand({}));
  const ofItems = schemas.map((one) => one.name ?? "").filter((one) => one.startsWith("shop-item-"));
  assert.equal(ofItems.sort(), [name, "shop-item-theirs"].sort());
  assert.is(schemas.length, 4);
});

test("refuses a schema that drops a field in Personalize's words, and says what to do", async () => {
  await deployed();
  const schema = structuredClone(DEFINITIONS.schemas.item);
  schema.fields = schema.fields.filter(({ name }) => name !== "AUTHOR");
  const name = shop.names.schema("item", schema);
  await shop.apply("create", { kind: "schema", name, schema });
  const input = { kind: "dataset", name: shop.names.dataset("item"), dataset: "item", schema: name } as const;
  assert.match(
    await failureOf(shop.apply("update", input)),
    /ManagerError: .*must keep the field AUTHOR.*relevance uninstall/,
  );
});

test("refuses changes of the interactions schema and of attributes", async () => {
  await deployed();
  for (const [dataset, change] of [
    [
      "interaction",
      { fields: [...DEFINITIONS.schemas.interaction.fields, { name: "DEVICE", type: ["null", "string"] }] },
    ],
    ["item", { fields: DEFINITIONS.schemas.item.fields.map(({ categorical: _, ...field }) => field) }],
  ] as const) {
    const schema = { ...structuredClone(DEFINITIONS.schemas[dataset]), ...structuredClone(change) } as AvroSchema;
    const name = shop.names.schema(dataset, schema);
    await shop.apply("create", { kind: "schema", name, schema });
    const input = { kind: "dataset", name: shop.names.dataset(dataset), dataset, schema: name } as const;
    assert.match(
      await failureOf(shop.apply("update", input)),
      /ManagerError: .*(cannot be replaced|keep the attributes)/,
    );
  }
});

test("switches the pointer only to an ACTIVE filter, and keeps the old one while the pointer names it", async () => {
  await deployed();
  const old = filterInput(shop.names, "unread", READ);
  const pointer = shop.names.filterParameter("unread");
  assert.match(await failureOf(shop.apply("create", old, { looks: 0 })), "is still CREATE PENDING");
  assert.is(shop.pointers.values.get(pointer), undefined, "not switched before it is ACTIVE");
  const { arn } = await shop.apply("create", old);
  assert.is(shop.pointers.values.get(pointer), arn);
  assert.match(await failureOf(shop.apply("delete", old)), /is in use.*created and switched to before/);

  const next = filterInput(shop.names, "unread", ofAuthor("Ada"));
  const state = await shop.apply("create", next);
  assert.is(shop.pointers.values.get(pointer), state.arn);
  await shop.apply("delete", old);
  const { filters } = await readInventory(shop.personalize, shop.names);
  assert.equal(
    filters.map(({ name, expression }) => [name, expression]),
    [[next.name, ofAuthor("Ada")]],
  );
  await shop.apply("delete", { ...next, deletable: true });
  assert.is(shop.pointers.values.get(pointer), undefined, "a removed filter is taken out of use first");
});

test("a filter that fails gives the reason and is removed, and the old one stays in use", async () => {
  await deployed();
  const { arn } = await shop.apply("create", filterInput(shop.names, "unread", READ));
  shop.standIn.control.failCreation("filter", "Something about the data");
  const next = filterInput(shop.names, "unread", ofAuthor("Ada"));
  assert.match(await failureOf(shop.apply("create", next)), "is CREATE FAILED: Something about the data");
  assert.is(shop.pointers.values.get(shop.names.filterParameter("unread")), arn);
  assert.is((await readInventory(shop.personalize, shop.names)).filters.length, 1);
  const refused = filterInput(shop.names, "unread", 'INCLUDE ItemID WHERE Items.NOWHERE IN ("x")');
  assert.match(
    await failureOf(shop.apply("create", refused)),
    /^ManagerError: The filter unread .* is refused: .*NOWHERE/,
  );
});

test("refuses a 31st filter, names the existing ones and says what to do", async () => {
  await deployed();
  const datasetGroupArn = shop.names.arn("personalize", "dataset-group/shop");
  for (let index = 0; index < 30; index += 1) {
    const filterExpression = ofAuthor(`a${index}`);
    await shop.personalize.send(new CreateFilterCommand({ name: `shop-f${index}`, datasetGroupArn, filterExpression }));
  }
  await shop.settle();
  const failure = await failureOf(shop.apply("create", filterInput(shop.names, "unread", READ)));
  assert.match(failure, /does not fit into the quota.*30 filters.*shop-f0, shop-f1.*take a filter out of filter.yaml/);
});

test("adds tags at creation, and changes and removes them by an update", async () => {
  const input = { kind: "dataset_group", name: "shop", tags: { team: "books", stage: "dev" } } as const;
  const { arn } = await shop.apply("create", input);
  await shop.apply("update", { ...input, tags: { team: "music" } }, { before: input });
  const { tags } = await shop.personalize.send(new ListTagsForResourceCommand({ resourceArn: arn ?? "" }));
  assert.equal(tags, [{ tagKey: "team", tagValue: "music" }]);
});

test.run();
