import * as assert from "uvu/assert";
import { profileFields, profileParser, profileProperties } from "../../../../lib/recommendation/records/profile.ts";
import { suite } from "../../../suite.ts";
import { definitions } from "./definitions.ts";

const test = suite("user and item records");

const known = await definitions();
const parseUser = profileParser("user", known);
const parseItem = profileParser("item", known);
const user = { USER_ID: "U1", GENDER: "F", AGE: 34, SCORE: 1.5 };
const item = { ITEM_ID: "B1", TITLE: "One", BLURB: "Text", CATEGORIES: "a|b", CREATION_TIMESTAMP: 1717200000 };

test("keeps the values and is active unless told otherwise", () => {
  assert.equal(parseUser(user), { record: { ...user, IS_ACTIVE: "True" } });
});

test("accepts a list of values", () => {
  assert.equal(parseItem({ ...item, CATEGORIES: ["a", "b"] }), { record: { ...item, IS_ACTIVE: "True" } });
});

test("accepts numbers and booleans as CSV writes them", () => {
  const parsed = parseUser({ USER_ID: 7, GENDER: true, AGE: "34", SCORE: "1.50", IS_ACTIVE: false });
  assert.equal(parsed, { record: { USER_ID: "7", GENDER: "True", AGE: 34, SCORE: 1.5, IS_ACTIVE: "False" } });
});

test("leaves out a column that may be empty, and is", () => {
  const record = { USER_ID: "U1", GENDER: "F", SCORE: 1.5, IS_ACTIVE: "True" };
  for (const empty of [null, "", undefined]) assert.equal(parseUser({ ...user, AGE: empty }), { record });
});

const WRONG: [change: Record<string, unknown>, path: string, message: string][] = [
  [{ GENDER: undefined }, "GENDER", "is missing: the schema does not let it be empty"],
  [{ USER_ID: "" }, "USER_ID", "is missing: the schema does not let it be empty"],
  [{ USER_ID: "x".repeat(257) }, "USER_ID", "has 257 characters, at most 256 are allowed"],
  [{ USER_ID: "a\nb" }, "USER_ID", "holds a control character"],
  [{ USER_ID: ["a"] }, "USER_ID", 'must be text, got ["a"]'],
  [{ AGE: 34.5 }, "AGE", "must be a whole number of 32 bits, got 34.5"],
  [{ AGE: "old" }, "AGE", 'must be a whole number of 32 bits, got "old"'],
  [{ AGE: 2_147_483_648 }, "AGE", "must be a whole number of 32 bits, got 2147483648"],
  [{ SCORE: "high" }, "SCORE", 'must be a number, got "high"'],
  [{ SCORE: 1e39 }, "SCORE", "must be a number, got 1e+39"],
  [{ GENDER: { a: 1 } }, "GENDER", 'must be text or a list of texts that are not empty and hold no "|", got {"a":1}'],
  [{ GENDER: ["a", ""] }, "GENDER", 'must be text or a list of texts that are not empty and hold no "|", got ["a",""]'],
  [{ GENDER: ["b|c"] }, "GENDER", 'must be text or a list of texts that are not empty and hold no "|", got ["b|c"]'],
  [
    { GENDER: ["a", null] },
    "GENDER",
    'must be text or a list of texts that are not empty and hold no "|", got ["a",null]',
  ],
  [{ GENDER: "x".repeat(1_001) }, "GENDER", "has 1001 characters, at most 1000 are allowed"],
  [{ GENDER: "a\u0000b" }, "GENDER", "holds a control character"],
  [{ GENDER: "\ud800" }, "GENDER", "holds half of a surrogate pair, which is not Unicode text"],
  [{ IS_ACTIVE: "yes" }, "IS_ACTIVE", 'must be "True" or "False", got "yes"'],
  [{ GENDR: "F" }, "GENDR", 'is not a column of this dataset; did you mean "GENDER"?'],
];
for (const [change, path, message] of WRONG) {
  test(`refuses ${JSON.stringify(change).slice(0, 60)}`, () => {
    const parsed = parseUser({ ...user, ...change });
    assert.equal("issues" in parsed && parsed.issues, [{ path, message }]);
  });
}

test("reports every problem of a record at once, with its id", () => {
  assert.equal(parseUser({ ...user, AGE: "x", SCORE: "y" }), {
    id: "U1",
    issues: [
      { path: "AGE", message: 'must be a whole number of 32 bits, got "x"' },
      { path: "SCORE", message: 'must be a number, got "y"' },
    ],
  });
});

test("refuses a value that is not an object", () => {
  assert.equal(parseUser([]), { id: undefined, issues: [{ path: "", message: "must be an object, got []" }] });
});

test("refuses an item id that contains the separator of impressions", () => {
  const parsed = parseItem({ ...item, ITEM_ID: "a|b" });
  assert.equal("issues" in parsed && parsed.issues[0]?.path, "ITEM_ID");
});

test("allows longer texts than categories", () => {
  assert.ok("record" in parseItem({ ...item, BLURB: "x".repeat(20_000) }));
});

test("refuses an item too large for PutItems", () => {
  const parsed = parseItem({ ...item, TITLE: '"'.repeat(20_000) });
  assert.match(JSON.stringify(parsed), "characters in all, Personalize takes at most 32000");
});

test("ignores columns of an older schema when told so", () => {
  const parse = profileParser("user", known, "ignore");
  assert.equal(parse({ ...user, HOBBY: "chess" }), { record: { ...user, IS_ACTIVE: "True" } });
});

test("returns the schema's fields, with texts joined by a space", () => {
  const fields = profileFields("item", known);
  assert.equal(fields({ ...item, IS_ACTIVE: "True" }), ["True", "One Text", "B1", "a|b", 1717200000]);
});

test("cuts texts that are too long together, which could fail the import of all items", () => {
  const long = "x".repeat(19_998);
  const text = (BLURB: string) => profileFields("item", known)({ ...item, TITLE: long, BLURB, IS_ACTIVE: "True" })[1];
  assert.is(text("abc"), `${long} a`);
  assert.is(text("\u{1f4d6}"), `${long} `);
  assert.match(profileProperties("item", known)({ ...item, TITLE: long, BLURB: "abc" }), `${long} a"`);
});

test("joins only existing texts", () => {
  assert.is(profileFields("item", known)({ ITEM_ID: "B1", IS_ACTIVE: "True", BLURB: "Text" })[1], "Text");
});

test("returns null for a text field without texts", () => {
  assert.is(profileFields("item", known)({ ITEM_ID: "B1", IS_ACTIVE: "True" })[1], null);
});

test("names properties in camelCase and leaves out the id and empty values", () => {
  assert.equal(JSON.parse(profileProperties("item", known)({ ...item, IS_ACTIVE: "True", CATEGORIES: "a" })), {
    isActive: "True",
    textualField: "One Text",
    categories: "a",
    creationTimestamp: 1717200000,
  });
});

test.run();
