import * as assert from "uvu/assert";
import { nameProblem, propertyName } from "../../../lib/settings/property-name.ts";
import { suite } from "../../suite.ts";

const test = suite("Names of properties");

/** Returns the field in upper case that a property name stands for, as Personalize's API reference describes the match. */
const fieldOf = (property: string) => property.replaceAll(/([A-Z])/g, "_$1").toUpperCase();

test("lead back to the field, in upper case, for all names that are allowed", () => {
  for (const name of ["TITLE", "NUMBER_OF_RATINGS", "picture_url", "price", "A1_B2"]) {
    assert.is(nameProblem(name), undefined);
    assert.is(fieldOf(propertyName(name)), name.toUpperCase());
  }
});

test("of names in mixed case, or without a letter, are refused with a better one", () => {
  assert.match(nameProblem("pictureURL") ?? "", /write PICTURE_URL$/);
  assert.match(nameProblem("Title") ?? "", /write TITLE$/);
  assert.match(nameProblem("_1") ?? "", /give it a letter$/);
});

test.run();
