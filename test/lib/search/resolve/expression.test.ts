import * as assert from "uvu/assert";
import { namesIn, plainExpression, standsFor } from "../../../../lib/search/resolve/expression.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/resolve/expression");

test("a name is the same in brackets, twice, and beside exclusions", () => {
  for (const expression of ["goods", "<goods>", "goods,<goods>", "goods,goods", "<goods>,-goods-old"]) {
    assert.equal(namesIn(expression), ["goods"], expression);
  }
  assert.equal(namesIn("<goods-{now/d}>,<goods-*>"), ["<goods-{now/d}>", "goods-*"]);
  assert.is(plainExpression("<goods*>,-<goods-old>,<a-{now}>"), "goods*,-<goods-old>,<a-{now}>");
});

for (const [expression, yes, no] of [
  ["goods", ["goods"], ["goods-1", "good"]],
  ["<goods>,other", ["goods", "other"], ["goods,other"]],
  ["go*s", ["goods", "gos"], ["good", "go", "xgoods"]],
  ["g*o*ds*", ["goods", "goxods-1"], ["gods-x".slice(1), "gds"]],
  ["*", ["goods", ""], []],
  ["ab*b", ["abb", "ab-b"], ["ab"]],
  ["<goods-{now/d}>", ["goods-2026.11.28", "goods-"], ["goods"]],
  ["goods*,-goods-old", ["goods-old", "goods"], ["old"]],
] as const) {
  test(`${expression} stands for the names that it can be`, () => {
    for (const name of yes) assert.is(standsFor(expression, name), true, name);
    for (const name of no) assert.is(standsFor(expression, name), false, name);
  });
}

test.run();
