import * as assert from "uvu/assert";
import * as v from "valibot";
import { IndexExpression } from "../../../../../lib/search/api/search/request.ts";
import { suite } from "../../../../suite.ts";

const test = suite("an index expression");

const said = (expression: string) => v.safeParse(IndexExpression, expression).issues?.map(({ message }) => message);

test("has at most 1,024 characters, which the generated requests leave out", () => {
  assert.is(said("b".repeat(1_024)), undefined);
  assert.equal(said("b".repeat(1_025)), ["must have at most 1,024 characters"]);
});

test("holds a slash only in date math", () => {
  for (const expression of ["books", "shop-*,-shop-old", "<logs-{now/d}>", "a,<logs-{now/d{yyyy}}>"])
    assert.is(said(expression), undefined, expression);
  for (const expression of ["", "_all", "books,_alias", "a/b", "a b", "a..b", "a?b", "a#b", "a%2f", "<a/b"])
    assert.is(said(expression)?.length, 1, expression);
});

test.run();
