import * as assert from "uvu/assert";
import * as v from "valibot";
import { IndexExpression, SearchRequest } from "../../../../lib/search/run/request.ts";
import { suite } from "../../../suite.ts";

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

test("of a request with segments of its user: at most ten names", () => {
  const issues = (segments: unknown) =>
    v.safeParse(SearchRequest, { index: "books", search_request: {}, segments }).issues?.length ?? 0;
  for (const segments of [undefined, null, [], ["vip", "B2B_de-1"], Array(10).fill("x".repeat(64))])
    assert.is(issues(segments), 0, JSON.stringify(segments));
  for (const segments of ["vip", [7], [""], ["a b"], ["x".repeat(65)], ["vip\n"], ["é"], Array(11).fill("a")])
    assert.ok(issues(segments) > 0, JSON.stringify(segments));
});

test.run();
