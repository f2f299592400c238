import * as assert from "uvu/assert";
import type { AvroField, Dataset } from "../../../../lib/config/avro.ts";
import { schemaChangeProblems } from "../../../../lib/personalize/resources/schema-change.ts";
import { suite } from "../../../suite.ts";

const test = suite("changes of a dataset's schema");

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
