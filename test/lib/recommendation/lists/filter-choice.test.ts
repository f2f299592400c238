import * as assert from "uvu/assert";
import { splitValues } from "../../../../lib/personalize/filters/values.ts";
import { ApiError } from "../../../../lib/platform/http/error.ts";
import { validate } from "../../../../lib/platform/http/validate.ts";
import { RecommendToUser } from "../../../../lib/recommendation/api/requests.ts";
import { checkPlaceholders, chooseFilter } from "../../../../lib/recommendation/lists/candidates/filter-choice.ts";
import { suite } from "../../../suite.ts";

const test = suite("recommendation: filters of a request");

const FILTERS = {
  category: "INCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)",
  without: "EXCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)",
  cheap: "INCLUDE ItemID WHERE Items.PRICE <= $MAX",
  level: "INCLUDE ItemID WHERE Items.PRICE <= 5 IF CurrentUser.LEVEL = $LEVEL",
  plain: 'INCLUDE ItemID WHERE Items.CATEGORIES IN ("a")',
};
const settings = {
  filters: Object.entries(FILTERS).map(([name, expression]) => ({
    name,
    expression,
    resource: `shop-${name}-1`,
    parameter: `/p/${name}`,
  })),
};
const choose = (filter_name: string, filter_value_dict: Record<string, string>) =>
  chooseFilter(settings, { filter_name, filter_value_dict });
const issuesOf = (work: () => unknown): Record<string, string> => {
  try {
    work();
  } catch (error) {
    assert.instance(error, ApiError);
    return Object.fromEntries((error as ApiError).issues.map(({ path, message }) => [path, message]));
  }
  return {};
};
const check = (name: string, values: Record<string, string>) =>
  issuesOf(() => {
    const choice = choose(name, values);
    if (choice) checkPlaceholders(choice);
  });

const VALUES: [text: string, values: string[]][] = [
  ["a", ["a"]],
  ["a,b", ["a", "b"]],
  [" a b , c ", ["a b", "c"]],
  ['"a, b",c', ["a, b", "c"]],
  ['x, "y" ,z', ["x", "y", "z"]],
  ['" a "', [" a "]],
  ["5", ["5"]],
  ["a'b|c", ["a'b|c"]],
];
for (const [text, values] of VALUES) {
  test(`reads ${text}`, () => assert.equal(splitValues(text), values));
}

const WRONG: [text: string, message: RegExp][] = [
  ["", /an empty value/],
  ["a,", /an empty value/],
  [",a", /an empty value/],
  ["a,,b", /an empty value/],
  ['""', /an empty value/],
  ['a"b', /a double quote that does not enclose a whole value, at character 1/],
  ['x,"a"b', /at character 3/],
  ['"a', /a double quote/],
  ["a\nb", /a control character/],
  ["a\u0000", /a control character/],
];
for (const [text, message] of WRONG) {
  test(`refuses ${JSON.stringify(text)}, naming the placeholder`, () => {
    assert.match(check("category", { CATEGORY: text })["filter_value_dict.CATEGORY"] ?? "", message);
  });
}

test("returns no choice without a filter, and refuses values without one", () => {
  assert.is(choose("", {}), undefined);
  assert.match(issuesOf(() => choose("", { X: "a" }))["filter_value_dict.X"] ?? "", "filter_name is empty");
});

test("an unknown filter is filter_not_found and lists the existing ones", () => {
  try {
    choose("colour", {});
    assert.unreachable();
  } catch (error) {
    assert.instance(error, ApiError);
    const { statusCode, code, message } = error as ApiError;
    assert.equal([statusCode, code], [404, "filter_not_found"]);
    assert.match(message, "category, without, cheap, level, plain");
  }
});

test("writes values as Personalize reads them", () => {
  assert.equal(choose("category", { CATEGORY: 'a,"b, c"' })?.formatted, { CATEGORY: '"a","b, c"' });
});

test("an INCLUDE needs its values, an EXCLUDE does not", () => {
  assert.match(check("category", {})["filter_value_dict.CATEGORY"] ?? "", /is missing.*\$CATEGORY/);
  assert.equal(check("without", {}), {});
});

test("an unknown placeholder is named with the known ones", () => {
  assert.equal(check("category", { CATEGORY: "a", $CATEGORY: "a", GENRE: "a" }), {
    "filter_value_dict.$CATEGORY": "is not a placeholder of the filter category; it has CATEGORY",
    "filter_value_dict.GENRE": "is not a placeholder of the filter category; it has CATEGORY",
  });
  assert.match(check("plain", { X: "a" })["filter_value_dict.X"] ?? "", "it has none");
});

test("a value that is compared as a number must be one number", () => {
  assert.equal(check("cheap", { MAX: "4.5" }), {});
  assert.match(check("cheap", { MAX: "4,5" })["filter_value_dict.MAX"] ?? "", 'must be one decimal number, got "4,5"');
  for (const MAX of ["much", "0x10", "Infinity"]) {
    assert.match(check("cheap", { MAX })["filter_value_dict.MAX"] ?? "", "must be one decimal number");
  }
  assert.equal(check("level", { LEVEL: "gold" }), {});
});

test("a value of 3,000 blanks and a quote is refused by its length, before any pattern", () => {
  const [issue] = Object.values(check("category", { CATEGORY: `${" ".repeat(3_000)}"` }));
  assert.match(issue ?? "", "must have at most 1000 characters");
});

test("an entry named like a member of every object is refused, not dropped", () => {
  for (const name of ["constructor", "prototype", "__proto__"]) {
    const filter_value_dict = JSON.parse(`{"${name}": "a"}`);
    const request = { user_id: "U1", limit: 1, filter_name: "plain", filter_value_dict };
    assert.equal(
      issuesOf(() => validate(RecommendToUser, request)),
      { filter_value_dict: `must not have an entry named "${name}"` },
    );
  }
});

test("values beyond Personalize's limits are refused", () => {
  const long = check("category", { CATEGORY: "x".repeat(999) });
  assert.match(long["filter_value_dict.CATEGORY"] ?? "", "at most 1000 characters");
  const many = Object.fromEntries(Array.from({ length: 26 }, (_, index) => [`P${index}`, "x"]));
  assert.match(check("category", many).filter_value_dict ?? "", "at most 25");
});

test.run();
