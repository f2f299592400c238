import { suite } from "../../suite.ts";
import { filledExample } from "./example.ts";
import { moreItemColumns, type Rule, testRules } from "./rules.ts";

const test = suite("checks of schemas and ETL configuration");

const example = filledExample();

const USER = "schema/user_schema.json";
const ITEM = "schema/item_schema.json";
const INTERACTION = "schema/interaction_schema.json";
const ETL = "etl/configure.json";

const RULES: readonly Rule[] = [
  {
    rule: "a schema has the fields that Personalize requires",

    bad: { [`${INTERACTION} fields[4]`]: undefined, [`${ETL} interaction.columns[4]`]: undefined },
    problems: "schema/interaction_schema.json fields lacks TIMESTAMP, which Personalize requires",
  },
  {
    rule: "required and reserved fields have the required types",
    good: { [`${ETL} interaction.columns[4].type`]: "int" },
    bad: {
      [`${INTERACTION} fields[4].type`]: "int",
      [`${INTERACTION} fields[3].type`]: ["long", "null"],
      [`${ETL} interaction.columns[4].type`]: "int",
      [`${ETL} interaction.columns[3].type`]: "long",
    },
    problems: [
      'schema/interaction_schema.json fields[3].type must be "float" or "double" (or that and "null") for EVENT_VALUE',
      'schema/interaction_schema.json fields[4].type must be "long" for TIMESTAMP',
    ],
  },
  {
    rule: "a required field is not nullable",

    bad: { [`${USER} fields[1].type`]: ["string", "null"] },
    problems: 'schema/user_schema.json fields[1].type must be "string" for USER_ID',
  },
  {
    rule: "a type is a single type, or null and a single type",
    good: { [`${USER} fields[2].type`]: ["null", "string"] },
    bad: { [`${USER} fields[2].type`]: ["int", "string"] },
    problems: 'schema/user_schema.json fields[2].type must be one type, or one type and "null"',
  },
  {
    rule: "categorical and textual fields are strings, textual ones of items, and no field is both",
    good: { [`${USER} fields[5].categorical`]: true },
    bad: {
      [`${USER} fields[3].categorical`]: true,
      [`${USER} fields[5].textual`]: true,
      [`${ITEM} fields[3].textual`]: true,
      [`${INTERACTION} fields[2].categorical`]: true,
    },
    problems: [
      'schema/user_schema.json fields[3].categorical needs the type "string", AGE has "int"',
      "schema/user_schema.json fields[5].textual can be true in the item schema only",
      "schema/item_schema.json fields[3].textual cannot be true together with categorical",
      "schema/interaction_schema.json fields[2].categorical cannot be true for EVENT_TYPE",
    ],
  },
  {
    rule: "one field is textual",

    bad: { ...moreItemColumns(example, 1), [`${ITEM} fields[5]`]: { name: "C1", type: "string", textual: true } },
    problems: "schema/item_schema.json fields[5].textual is true for 2 fields: Personalize takes 1",
  },
  {
    rule: "field names are of one case, so that Personalize finds them by their camel-case names",

    bad: {
      [`${USER} fields[6]`]: { name: "homeTown", type: "string" },
      [`${ETL} user.columns[5]`]: { name: "homeTown", type: "string" },
    },
    problems:
      'schema/user_schema.json fields[6].name is "homeTown": Personalize finds fields by camel-case names, which a name of upper or of lower case alone has: write HOME_TOWN',
  },
  {
    rule: "field names differ in more than underscores",

    bad: {
      [`${USER} fields[6]`]: { name: "MEMBERSHIPID", type: "string" },
      [`${ETL} user.columns[5]`]: { name: "MEMBERSHIPID", type: "string" },
    },
    problems:
      'schema/user_schema.json fields[6].name is the same as "MEMBERSHIP_ID" to Personalize, which ignores underscores',
  },
  {
    rule: "a dataset has as many fields of its own as Personalize allows",

    bad: {
      [`${USER} fields`]: [{ name: "USER_ID", type: "string" }],
      [`${ETL} user.columns`]: [{ name: "USER_ID", type: "string" }],
      "solution.yaml recipes.user_personalization.excluded_dataset_columns": [],
      ...moreItemColumns(example, 97),
    },
    problems: [
      "schema/user_schema.json fields needs at least 1 field beside USER_ID",
      "schema/item_schema.json fields has 101 fields of its own: Personalize takes at most 100",
    ],
  },
  {
    rule: "a field has a source column",
    good: {
      [`${INTERACTION} fields[5].name`]: "RECOMMENDATION_ID",
      [`${ETL} interaction.columns[5].name`]: "RECOMMENDATION_ID",
    },
    bad: { [`${ETL} user.columns[3]`]: undefined },
    problems: 'schema/user_schema.json fields[4].name "LOCATION" has no source column in the ETL configuration',
  },
  {
    rule: "EVENT_VALUE, IMPRESSION and IS_ACTIVE need no source column",
    good: { [`${ETL} interaction.columns[5]`]: undefined, [`${ETL} interaction.columns[3]`]: undefined },
    bad: { [`${ETL} interaction.columns[2]`]: undefined },
    problems:
      'schema/interaction_schema.json fields[2].name "EVENT_TYPE" has no source column in the ETL configuration',
  },
  {
    rule: "a column becomes a field of the schema",

    bad: { [`${ETL} user.columns[5]`]: { name: "AGES", type: "int" } },
    problems:
      'etl/configure.json user.columns[5].name becomes the field "AGES", which is not in the user schema: did you mean "AGE"?',
  },
  {
    rule: "a column's type fits its field",
    good: { [`${USER} fields[3].type`]: "long" },
    bad: { [`${ETL} user.columns[2].type`]: "float" },
    problems:
      'etl/configure.json user.columns[2].type float does not fit the field "AGE" of the user schema, which is int',
  },
  {
    rule: "a nullable column becomes a nullable field",
    good: { [`${ETL} user.columns[2].nullable`]: true, [`${USER} fields[3].type`]: ["int", "null"] },
    bad: { [`${ETL} user.columns[2].nullable`]: true },
    problems:
      'etl/configure.json user.columns[2].nullable is true, but the field "AGE" of the user schema does not take null',
  },
  {
    rule: "columns appear once, and joins and renames use each existing column once",
    good: { [`${ETL} user.renames`]: [{ column: "AGE", field: "YEARS" }], [`${USER} fields[3].name`]: "YEARS" },
    bad: {
      [`${ETL} user.renames`]: [{ column: "AGES", field: "YEARS" }],
      [`${ETL} item.renames`]: [{ column: "TITLE", field: "NAME" }],
      [`${ETL} interaction.columns[6]`]: { name: "USER_ID", type: "string" },
    },
    problems: [
      'etl/configure.json user.renames[0].column "AGES" is not one of the columns: did you mean "AGE"?',
      'etl/configure.json item.renames[0].column "TITLE" is used twice',
      'etl/configure.json interaction.columns[6].name "USER_ID" appears twice',
    ],
  },
];

testRules(test, example, RULES);

test.run();
