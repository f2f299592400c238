import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { suite } from "../../suite.ts";
import { changed, problemsOf } from "./example.ts";
import { testRules } from "./rules.ts";
import { at, body, example, FREE, matching, page, scored, TEXT, templates } from "./template-example.ts";

const test = suite("checks of declared templates");

testRules(test, example, [
  {
    rule: "a template with parameters declares them all, and uses them",
    good: templates(page(matching("[params.q]"), TEXT)),
    bad: templates(page(matching("[params.title]"), TEXT)),
    problems: [
      `${body}.query.match.title is not declared: add title to parameters`,
      `${at}.parameters[0].name is not used: the template has neither "[params.q]" nor "when: q"`,
    ],
  },
  {
    rule: "an undeclared parameter may be a parameter of a script, and nothing else of it",
    good: templates(scored({ source: "params.w", params: { w: "[params.w]" } })),
    bad: templates(scored({ source: "[params.w]" })),
    problems: `${body}.query.script_score.script.source cannot be in a script: a request can give any value; declare it in parameters`,
  },
  {
    rule: "one parameter, any text that is searched for, is the text of the search",
    good: templates(page(matching("[params.q]"), { ...TEXT, role: "query" })),
    bad: templates(
      page(
        { query: { bool: { must: [{ when: "q", match_all: {} }], filter: [{ terms: { a: "[params.a]" } }] } } },
        { ...TEXT, role: "query", values: ["salt"] },
        { name: "a", type: "texts", role: "query" },
      ),
    ),
    problems: [
      `${at}.parameters[0].role needs a "[params.q]" where the text is searched for`,
      `${at}.parameters[0].values cannot stand beside role: query, which may be any text`,
      `${at}.parameters[1].role "query" appears twice`,
      `${at}.parameters[1].role has no effect: the type is texts`,
    ],
  },
  {
    rule: "a default of a declared parameter stands in its declaration",
    good: templates(page(matching("[params.q]"), { ...TEXT, default: "salt" })),
    bad: templates({ ...page(matching("[params.q]"), TEXT), params: { q: "salt" } }),
    problems: `${at}.params has no effect beside parameters: write each default there`,
  },
  {
    rule: "a parameter is declared once",
    good: templates(page(matching("[params.q]"), TEXT)),
    bad: templates(page(matching("[params.q]"), TEXT, TEXT)),
    problems: `${at}.parameters[1].name "q" appears twice`,
  },
  {
    rule: "a declaration has what its type has a meaning for",
    good: templates(
      page(
        {
          size: "[params.n]",
          query: { bool: { filter: [{ terms: { a: "[params.a]" } }, matching("[params.q]").query] } },
        },
        { name: "n", type: "number", min: 1, max: 5, values: [1, 5], default: 5 },
        { name: "a", type: "texts", max_length: 5, max_items: 2, values: ["x", "y"], default: ["x"] },
        { ...TEXT, max_length: 5, default: "salt" },
      ),
    ),
    bad: templates(
      page(
        {
          size: "[params.n]",
          query: { bool: { filter: [{ terms: { a: "[params.a]" } }, matching("[params.q]").query] } },
        },
        { name: "n", type: "number", min: 6, max: 5, max_length: 5, values: ["1"], default: [5] },
        { name: "a", type: "texts", max: 5, max_items: 1, values: [1], default: ["x", "y"] },
        { ...TEXT, max_items: 5, max_length: 3, default: "salt" },
      ),
    ),
    problems: [
      `${at}.parameters[0].min must be at most max (5), got 6`,
      `${at}.parameters[0].max_length has no effect: the type is number`,
      `${at}.parameters[0].values[0] must be a number`,
      `${at}.parameters[0].default must be a number`,
      `${at}.parameters[1].max has no effect: the type is texts`,
      `${at}.parameters[1].values[0] must be text`,
      `${at}.parameters[1].default must have at most 1 entries, got 2`,
      `${at}.parameters[2].max_items has no effect: the type is text`,
      `${at}.parameters[2].default must have at most 3 characters, got 4`,
    ],
  },
  {
    rule: "`when` names a parameter",
    good: templates(page({ aggs: { x: { when: "q", terms: { field: "color" } } } }, TEXT)),
    bad: templates(
      page(
        { ...matching("[params.q]"), aggs: { x: { when: "p", terms: { field: "color" } } }, rescore: [{ when: 5 }] },
        TEXT,
      ),
    ),
    problems: [
      `${body}.aggs.x.when must be a parameter of this template: "q"`,
      `${body}.rescore[0].when must be a parameter of this template: "q"`,
    ],
  },
  {
    rule: "a field of a document named `when` is none of them",
    good: templates(
      page(
        {
          sort: [{ when: "desc", title: "asc" }],
          query: { bool: { filter: [{ range: { when: { gte: "[params.q]" } } }, { term: { when: "today" } }] } },
        },
        TEXT,
      ),
    ),
    bad: templates(page({ query: { bool: { must: [{ when: "today", match: { title: "[params.q]" } }] } } }, TEXT)),
    problems: `${body}.query.bool.must[0].when must be a parameter of this template: "q"`,
  },
  {
    rule: "tokens are whole values",
    good: templates(page(matching("[params.q]"), TEXT)),
    bad: templates(
      page(
        { query: { bool: { must: { match: { "[params.q]": "x" } }, filter: { prefix: { a: "[params.q]*" } } } } },
        { ...TEXT },
      ),
    ),
    problems: [
      `${body}.query.bool.must.match.[params.q] holds "[params.q]", which is only replaced where it is a whole value`,
      `${body}.query.bool.filter.prefix.a holds "[params.q]", which is only replaced where it is a whole value`,
      `${at}.parameters[0].name is not used: the template has neither "[params.q]" nor "when: q"`,
    ],
  },
  ...[
    [{ query: { regexp: { title: "[params.q]" } } }, "query.regexp.title"],
    [{ query: { wildcard: { title: { value: "[params.q]" } } } }, "query.wildcard.title.value"],
    [{ query: { query_string: { query: "[params.q]" } } }, "query.query_string.query"],
    [{ query: { bool: { filter: [{ script: { script: "[params.q]" } }] } } }, "query.bool.filter[0].script.script"],
    [{ query: { multi_match: { query: "x", fields: ["[params.q]"] } } }, "query.multi_match.fields[0]"],
    [{ query: { terms: { id: { index: "[params.q]", id: "1", path: "x" } } } }, "query.terms.id.index"],
    [{ _source: "[params.q]" }, "_source"],
    [{ sort: ["[params.q]"] }, "sort[0]"],
    [{ aggs: { x: { terms: { field: "[params.q]" } } } }, "aggs.x.terms.field"],
    [{ aggs: { query: { terms: { field: "[params.q]" } } } }, "aggs.query.terms.field"],
    [{ aggs: { x: { terms: { field: "a", include: "[params.q]" } } } }, "aggs.x.terms.include"],
    [{ query: { hybrid: { queries: [{ bool: { should: "[params.q]" } }] } } }, "query.hybrid.queries[0].bool.should"],
    [{ query: { knn: { v: { vector: "[params.q]" } } } }, "query.knn.v.vector"],
  ].map(([template, path]) => ({
    rule: `a free text is no ${path}`,
    good: templates(page(template as object, { ...TEXT, values: ["a", "b"] })),
    bad: templates(page(template as object, TEXT)),
    problems: `${body}.${path} ${FREE("q")}`,
  })),
]);

test("the templates and keys that the guides show are valid", () => {
  const shown = (guide: string) =>
    [...readFileSync(`docs/guides/${guide}.md`, "utf8").matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) =>
      parse(text),
    );
  const [{ keys: keysShown } = {}] = shown("access").filter(({ keys }) => keys);
  const lists = ["access", "search"].flatMap(shown).flatMap(({ templates }) => templates ?? []);
  const pages = lists.filter(({ name }) => name === "shop_page");
  const others = lists.filter(({ name }) => name !== "shop_page");
  assert.equal([pages.length, others.length, keysShown.length], [2, 2, 3]);
  for (const shopPage of pages) {
    const files = changed(example, "hybrid_search.yaml", ["templates"], [shopPage, ...others]);
    assert.equal(problemsOf(changed(files, "api.yaml", ["keys"], keysShown)), []);
  }
});

test.run();
