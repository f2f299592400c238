import { CreateSchemaCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { avro, FIELDS } from "./book-shop.ts";
import { errorOf, standInTests } from "./harness.ts";

const test = suite("local Personalize: schemas");

const on = standInTests(test);

/** Returns the fields of a schema, of which one is changed. */
const changed = (schema: keyof typeof FIELDS, name: string, change: { type?: string | string[]; categorical?: true }) =>
  FIELDS[schema].map((field) => (field.name === name ? { ...field, ...change } : field));

/** Schemas that break a rule. */
const SCHEMAS: readonly [string, RegExp][] = [
  ["{", /not JSON/],
  [avro("Interactions", FIELDS.Items), /Interactions needs the field USER_ID/],
  [avro("Things", FIELDS.Items), /name must be Interactions, Items or Users, got "Things"/],
  [avro("Items", FIELDS.Items).replace("com.amazonaws", "com.example"), /namespace must be/],
  [avro("Items", FIELDS.Items).replace('"1.0"', '"2.0"'), /version must be 1\.0/],
  [avro("Items", [{ name: "ITEM_ID", type: "string" }]), /at least one metadata field/],
  [avro("Items", changed("Items", "ITEM_ID", { type: ["string", "null"] })), /ITEM_ID must be of type string, without/],
  [avro("Items", [...FIELDS.Items, { name: "A", type: "decimal" }]), /has type "decimal"/],
  [avro("Items", [...FIELDS.Items, { name: "A", type: ["int", "string"] }]), /one type, alone or with null/],
  [avro("Items", [...FIELDS.Items, { name: "A-B", type: "int" }]), /letters, digits and underscores/],
  [avro("Items", [...FIELDS.Items, { name: "IS__ACTIVE", type: "int" }]), /differ by underscores/],
  [avro("Items", [...FIELDS.Items, { name: "A", type: "int", categorical: true }]), /categorical but not a string/],
  [avro("Users", [...FIELDS.Users, { name: "A", type: "string", textual: true }]), /only Items has textual fields/],
  [avro("Interactions", changed("Interactions", "EVENT_TYPE", { categorical: true })), /EVENT_TYPE is neither/],
  [avro("Interactions", changed("Interactions", "TIMESTAMP", { type: "int" })), /TIMESTAMP must be of type long/],
  [
    avro("Interactions", [...FIELDS.Interactions, ..."ABCDEF".split("").map((name) => ({ name, type: "int" }))]),
    /at most 5 metadata fields, got 6/,
  ],
  [`${avro("Items", FIELDS.Items)}${" ".repeat(20_000)}`, /20000/],
];

on("CreateSchema refuses what breaks a rule", async ({ personalize }) => {
  for (const [schema, message] of SCHEMAS) {
    const error = await errorOf(personalize.send(new CreateSchemaCommand({ name: "s", schema })));
    assert.is(error.name, "InvalidInputException");
    assert.match(error.message, message);
  }
});

test.run();
