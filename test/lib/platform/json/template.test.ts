import * as assert from "uvu/assert";
import { fillTemplate, parametersOf, withQuery } from "../../../../lib/platform/json/template.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/platform/json/template");

const fill = (template: unknown, params: Record<string, string> = {}) =>
  fillTemplate(template, { search_query: '"salt"', params: new Map(Object.entries(params)) });

test("a value keeps its bytes", () => {
  const { text } = fill({ a: ["[params.n]", { b: "[params.n]" }] }, { n: "9007199254740993.0" });
  assert.is(text, '{"a":[9007199254740993.0,{"b":9007199254740993.0}]}');
});

test("only whole strings are tokens", () => {
  const template = {
    "[search_query]": "a [search_query]",
    b: "[search_query]",
    c: "[params.x]y",
    d: "[vector]",
    e: null,
  };
  assert.is(
    fill(template).text,
    '{"[search_query]":"a [search_query]","b":"salt","c":"[params.x]y","d":"[vector]","e":null}',
  );
});

test("the content of a value is never a token", () => {
  assert.is(fill({ a: "[params.x]" }, { x: '"[search_query]"' }).text, '{"a":"[search_query]"}');
});

test("each parameter without a value is named once", () => {
  assert.equal(fill(["[params.x]", "[params.y]", "[params.x]"], { y: "1" }).missing, ["x"]);
});

test("the parameters of a template are found at any depth", () => {
  assert.equal([...parametersOf({ a: ["[params.x]", { b: "[params.y]" }], c: "[params.x]", d: 1 })], ["x", "y"]);
});

test("a query is inserted without changing the template", () => {
  const template = { a: "[search_query]", n: 1.5 };
  assert.equal(withQuery(template, 'say "salt"'), { a: 'say "salt"', n: 1.5 });
  assert.is(template.a, "[search_query]");
});

test.run();
