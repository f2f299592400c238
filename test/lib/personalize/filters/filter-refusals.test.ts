import * as assert from "uvu/assert";
import { parseFilter } from "../../../../lib/personalize/filters/parser.ts";
import { FilterError } from "../../../../lib/personalize/filters/tokens.ts";
import { distinctFields, validateFilter } from "../../../../lib/personalize/filters/validate.ts";
import { suite } from "../../../suite.ts";
import { SCHEMAS } from "../filter-schemas.ts";

const test = suite("refused filters");

/** Expressions that cannot be parsed, the message and the position that it names. */
const SYNTAX: readonly [string, RegExp, number][] = [
  ["", /expected INCLUDE or EXCLUDE, got the end/, 0],
  ['KEEP ItemID WHERE Items.A IN ("x")', /expected INCLUDE or EXCLUDE, got "KEEP"/, 0],
  ['INCLUDE UserID WHERE Users.A IN ("x")', /only ItemID/, 0],
  ['INCLUDE ItemID Items.A IN ("x")', /expected WHERE, got "Items"/, 15],
  ['INCLUDE ItemID WHERE Things.A IN ("x")', /unknown dataset "Things"/, 21],
  ['INCLUDE ItemID WHERE Items IN ("x")', /"Items" needs a field/, 21],
  ["INCLUDE ItemID WHERE Items.A LIKE 3", /expected IN, NOT IN, =.* got "LIKE"/, 29],
  ['INCLUDE ItemID WHERE Items.A IN "x"', /in parentheses/, 32],
  ['INCLUDE ItemID WHERE Items.A IN ("x"', /expected "\)", got the end/, 36],
  ["INCLUDE ItemID WHERE Items.A IN ()", /expected a "text", a number or a \$PLACEHOLDER, got "\)"/, 33],
  ["INCLUDE ItemID WHERE Items.A IN (x)", /double quotes/, 33],
  ["INCLUDE ItemID WHERE Items.A IN ('x')", /double quotes, got '/, 33],
  ['INCLUDE ItemID WHERE Items.A IN ("x)', /no closing double quote/, 33],
  ['INCLUDE ItemID WHERE Items.A IN ("")', /empty text/, 33],
  ["INCLUDE ItemID WHERE Interactions.EVENT_TYPE IN (*)", /"\*" is written in double quotes/, 49],
  ["INCLUDE ItemID WHERE Items.A = 1x", /not a number/, 31],
  ["INCLUDE ItemID WHERE Items.A = (1, 2)", /= compares with one value/, 33],
  ["INCLUDE ItemID WHERE Items.A IN ($)", /1 to 50 letters/, 33],
  [`INCLUDE ItemID WHERE Items.A IN ($${"x".repeat(51)})`, /1 to 50 letters/, 33],
  ["INCLUDE ItemID WHERE Items.A IN ($A-B)", /not a number/, 35],
  ["INCLUDE ItemID WHERE (Items.A = 1)", /grouped by parentheses/, 21],
  ["INCLUDE ItemID WHERE Items.A = 1 IF CurrentUser.B = 1 OR CurrentUser.C = 1", /AND only, not by OR/, 54],
  ["INCLUDE ItemID WHERE Items.A = 1 IF CurrentUser.B = 1 IF CurrentUser.C = 1", /IF stands once/, 54],
  ["INCLUDE ItemID WHERE Items.A = 1 Items.B = 1", /expected AND, OR, IF, "\|" or the end/, 33],
  ["INCLUDE ItemID WHERE Items.A = 1 |", /expected INCLUDE or EXCLUDE/, 34],
];

for (const [expression, message, position] of SYNTAX) {
  test(`refuses ${expression || "an empty expression"}`, () => {
    try {
      parseFilter(expression);
    } catch (error) {
      assert.instance(error, FilterError);
      assert.match((error as FilterError).message, message);
      assert.is((error as FilterError).position, position);
      return;
    }
    assert.unreachable("was read");
  });
}

/** Expressions that can be parsed but do not fit the schemas. */
const INVALID: readonly [string, RegExp][] = [
  ['INCLUDE ItemID WHERE Items.COLOUR IN ("x")', /^Items\.COLOUR is not in the schema, which has ITEM_ID, CATEGORY/],
  ['INCLUDE ItemID WHERE Items.TITLE IN ("x")', /textual/],
  ['INCLUDE ItemID WHERE Items.IN_STOCK IN ("True")', /boolean/],
  ["INCLUDE ItemID WHERE Interactions.EVENT_VALUE > 3", /only EVENT_TYPE/],
  ['INCLUDE ItemID WHERE Items.PRICE IN ("9")', /IN compares texts, Items\.PRICE is a number/],
  ["INCLUDE ItemID WHERE Items.PRICE IN ($P)", /IN compares texts/],
  ['INCLUDE ItemID WHERE Items.CATEGORY = "shoe"', /= compares numbers, Items\.CATEGORY is text/],
  ['INCLUDE ItemID WHERE Items.CATEGORY > "shoe"', /> compares numbers/],
  ['INCLUDE ItemID WHERE Items.PRICE < 5 IF CurrentUser.MEMBERSHIP > "a"', /> compares numbers/],
  ["INCLUDE ItemID WHERE Items.CATEGORY IN (5)", /write "5" in double quotes/],
  ['INCLUDE ItemID WHERE Items.PRICE < "5"', /without quotes, got "5"/],
  ["INCLUDE ItemID WHERE Items.CATEGORY NOT IN ($C)", /NOT IN takes no placeholder/],
  ['INCLUDE ItemID WHERE Items.CATEGORY IN ("*")', /"\*" can be used for Interactions\.EVENT_TYPE only/],
  ['INCLUDE ItemID WHERE Items.CATEGORY IN ("a") AND Interactions.EVENT_TYPE IN ("b")', /one dataset/],
  ["INCLUDE ItemID WHERE CurrentUser.AGE > 5", /after IF only/],
  ["INCLUDE ItemID WHERE Items.PRICE < 5 IF Items.PRICE > 3", /IF checks CurrentUser only/],
  ["INCLUDE ItemID WHERE CurrentItem.PRICE > 5", /can only be a value/],
  ["INCLUDE ItemID WHERE Items.PRICE < CurrentItem.BRAND", /of different types/],
  ["INCLUDE ItemID WHERE Items.PRICE < CurrentItem.COST", /CurrentItem\.COST is not in the schema/],
  ["INCLUDE ItemID WHERE Items.PRICE < 5 IF CurrentUser.AGE > CurrentItem.PRICE", /compared with a field of Items/],
];

for (const [expression, message] of INVALID) {
  test(`the schemas do not allow ${expression}`, () => {
    const [problem] = validateFilter(parseFilter(expression), SCHEMAS);
    assert.match(problem?.message ?? "no problem was found", message);
  });
}

test("a dataset that the group lacks is named", () => {
  const filter = parseFilter("INCLUDE ItemID WHERE Items.PRICE < 5 IF CurrentUser.AGE > 18");
  const [problem] = validateFilter(filter, { Items: SCHEMAS.Items });
  assert.match(problem?.message ?? "", /^CurrentUser\.AGE: there is no Users dataset \(at position 41\)$/);
});

test("all problems are reported, not only the first", () => {
  const filter = parseFilter('INCLUDE ItemID WHERE Items.A IN ("x") OR Items.B = 1 | EXCLUDE ItemID WHERE Items.C = 2');
  assert.is(validateFilter(filter, SCHEMAS).length, 3);
});

test("at most ten distinct fields are allowed across clauses, counting repeats and CurrentItem once", () => {
  const fields = [..."ABCDEFGHIJK"].map((name) => ({ name, type: "int" }));
  const expression = (names: string) => [...names].map((name) => `INCLUDE ItemID WHERE Items.${name} = 1`).join(" | ");
  const problems = (names: string) => validateFilter(parseFilter(expression(names)), { Items: fields });
  assert.equal(problems("ABCDEFGHIJA"), []);
  assert.match(problems("ABCDEFGHIJK")[0]?.message ?? "", /at most 10 distinct fields, got 11: ITEMS\.A/);
  const twice = parseFilter("INCLUDE ItemID WHERE Items.A < CurrentItem.A AND items.a > 1 IF CurrentUser.AGE > 1");
  assert.equal(distinctFields(twice), ["ITEMS.A", "USERS.AGE"]);
});

test.run();
