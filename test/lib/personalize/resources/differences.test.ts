import { DeleteFilterCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { differenceOf, schemaChangeProblems } from "../../../../lib/personalize/resources/differences.ts";
import { filterQuotaProblem } from "../../../../lib/personalize/resources/filter.ts";
import { readInventory } from "../../../../lib/personalize/resources/inventory.ts";
import { ResourceInput, type ResourceInputGiven } from "../../../../lib/personalize/resources/request.ts";
import type { Dataset } from "../../../../lib/platform/contract/recommendation.ts";
import type { AvroField } from "../../../../lib/settings/avro.ts";
import { suite } from "../../../suite.ts";
import { basicInputs, filterInput } from "./inputs.ts";
import { managed } from "./managed.ts";

const test = suite("differences in Personalize");

const shop = await managed();
const filter = filterInput(shop.names, "unread", 'EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("read")');
const campaign = {
  kind: "campaign",
  name: "shop-similar-items",
  recipe: "similar_items",
  min_provisioned_tps: 1,
} as const;
const all: ResourceInputGiven[] = [...basicInputs(shop.names), filter, campaign];

test.after(() => shop.stop());

const differences = async () => {
  const inventory = await readInventory(shop.personalize, shop.names);
  return all.map((input) => differenceOf(v.parse(ResourceInput, input), inventory));
};

test("before anything is created, every resource differs except the campaign, which awaits its training", async () => {
  assert.equal(
    (await differences()).map((difference) => difference !== undefined),
    all.map(({ kind }) => kind !== "campaign"),
  );
});

test("after creation nothing differs", async () => {
  for (const input of all) await shop.apply("create", input);
  assert.equal(
    await differences(),
    all.map(() => undefined),
  );
});

test("a filter that was deleted by hand differs", async () => {
  const filterArn = shop.names.arn("personalize", `filter/${filter.name}`);
  await shop.personalize.send(new DeleteFilterCommand({ filterArn }));
  await shop.settle();
  assert.equal((await differences()).filter(Boolean), ["it does not exist"]);
});

test("replacing a filter fits into the quota at 29 filters, and is refused with what to do at 30", () => {
  const present = Array.from({ length: 29 }, (_, index) => `shop-f${index}-0000000001`);
  const wanted = [...present.slice(1), "shop-f0-0000000002"];
  assert.is(filterQuotaProblem(present, wanted), undefined);
  const full = [...present, "shop-f29-0000000001"];
  assert.match(
    filterQuotaProblem(full, [...full.slice(1), "shop-f0-0000000002"]) ?? "",
    /no room for shop-f0-0000000002.*30 filters.*take a filter out/,
  );
});

const FIELDS: readonly AvroField[] = [
  { name: "ITEM_ID", type: "string" },
  { name: "PRICE", type: ["null", "float"] },
  { name: "GENRE", type: ["null", "string"], categorical: true },
];
const added: AvroField = { name: "AGE", type: ["int", "null"] };
const problems = (after: readonly AvroField[], dataset: Dataset = "item") =>
  schemaChangeProblems(dataset, { fields: [...FIELDS] }, { fields: [...after] });
const changed = (name: string, change: Partial<AvroField>) =>
  FIELDS.map((field) => (field.name === name ? { ...field, ...change } : field));

test("items and users allow new nullable fields in any place", () => {
  for (const dataset of ["item", "user"] as const) {
    assert.equal(problems(FIELDS, dataset), []);
    assert.equal(problems([...FIELDS, added], dataset), []);
    assert.equal(problems([added, ...FIELDS.toReversed()], dataset), []);
  }
});

for (const [what, after, expected] of [
  ["a field that is gone", FIELDS.slice(0, 2), "GENRE is gone"],
  ["another type", changed("PRICE", { type: ["null", "double"] }), "PRICE was null or float and is null or double"],
  ["no null any more", changed("PRICE", { type: "float" }), "PRICE was null or float and is float"],
  ["categorical no longer", changed("GENRE", { categorical: false }), "GENRE is no longer categorical"],
  ["textual now", changed("ITEM_ID", { textual: true }), "ITEM_ID is now textual"],
  [
    "a new field without null",
    [...FIELDS, { name: "AGE", type: "int" as const }],
    "the new AGE may not be null, and what is stored lacks it",
  ],
] as const) {
  test(`refused: ${what}`, () => assert.equal(problems(after), [expected]));
}

test("all refused changes are reported at once", () => {
  assert.equal(problems([added]), ["ITEM_ID is gone", "PRICE is gone", "GENRE is gone"]);
});

test("interactions allow no change at all", () => {
  assert.equal(problems(FIELDS, "interaction"), []);
  assert.equal(problems([...FIELDS, added], "interaction"), ["AGE is new"]);
  assert.equal(problems(FIELDS.toReversed(), "interaction"), ["the fields are in another order"]);
});

test.run();
