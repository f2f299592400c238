import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { ApiError } from "../../../../lib/platform/http/error.ts";
import type { Parameter } from "../../../../lib/platform/json/parameters.ts";
import { namedTemplate } from "../../../../lib/search/run/named-template.ts";
import { ROOT } from "../../../fixtures/env.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/run/named-template");

const PARAMETERS: Parameter[] = [
  { name: "text", type: "text", max_length: 5 },
  { name: "word", type: "text", values: ["asc", "desc"] },
  { name: "number", type: "number", min: 1, max: 50 },
  { name: "flag", type: "boolean" },
  { name: "texts", type: "texts", max_items: 2, max_length: 5 },
  { name: "numbers", type: "numbers", values: [1, 2] },
  { name: "flags", type: "booleans" },
  { name: "size", type: "number", default: 10 },
];

/** Takes each parameter, and can do without any. */
const TEMPLATE = {
  name: "all",
  search_request_template: {
    size: "[params.size]",
    query: { bool: { filter: PARAMETERS.map(({ name }) => ({ when: name, value: `[params.${name}]` })) } },
  },
  params: {},
  parameters: PARAMETERS,
};

const ASKED = { endpoint: "search", name: "all", queryMember: "user_query", bodyMember: "search_request" } as const;

const filled = (params: string, template: typeof TEMPLATE = TEMPLATE) =>
  namedTemplate({ templates: [template] }, ASKED, `{"template":"all","params":${params}}`).text;

const issuesOf = (params: string, template?: typeof TEMPLATE): string[] => {
  try {
    filled(params, template);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.issues.map(({ path, message }) => `${path}: ${message}`);
  }
};

const DEFAULTS = '{"size":10,"query":{"bool":{"filter":[{"value":10}]}}}';
const withValue = (value: string) => DEFAULTS.replace("[{", `[{"value":${value}},{`);

test("values that fit keep their bytes", () => {
  for (const [name, value] of [
    ["text", '"s\\u0061lt"'],
    ["word", '"asc"'],
    ["number", "1.50"],
    ["flag", "false"],
    ["texts", '[ "a", "" ]'],
    ["numbers", "[2]"],
    ["flags", "[]"],
  ]) {
    assert.is(filled(`{"${name}":${value}}`), withValue(value ?? ""));
  }
});

const ROLE = {
  ...TEMPLATE,
  search_request_template: { query: { bool: { must: [{ when: "q", match: { title: "[params.q]" } }] } } } as never,
  parameters: [{ name: "q", type: "text", max_length: 9, role: "query" }] as Parameter[],
};

for (const [request, own, replaced] of [
  ['"params":{"q":"a"}', "a", "b"],
  ['"params":{"q":"a"},"user_query":"A!"', "a", "b"],
  ['"user_query":"a"', "a", "b"],
  ['"params":{}', undefined, "a longer text of a rule"],
] as const) {
  test(`the parameter with the role query is the text of the search: {${request}}`, () => {
    const body = (text?: string) => {
      const asked = { ...ASKED, ...(text !== undefined && { text }) };
      return namedTemplate({ templates: [ROLE] }, asked, `{"template":"all",${request}}`);
    };
    const clauses = (q: string | undefined) => ({
      query: { bool: q === undefined ? {} : { must: [{ match: { title: q } }] } },
    });
    const { parsed, query } = body();
    assert.equal([parsed, query], [clauses(own), own]);
    const { parsed: changed, hasText } = body(replaced);
    assert.equal([changed, hasText], [clauses(replaced), true]);
  });
}

for (const [what, path] of [
  ["InstantSearch", "packages/clients/instantsearch/README.md"],
  ["the shop page", "conf.local/hybrid_search.yaml"],
] as const) {
  test(`the template of ${what} searches for the text of a rule`, () => {
    const text = readFileSync(join(ROOT, path), "utf8");
    const yaml = path.endsWith(".md") ? /```yaml\n(.*?)```/s.exec(text)?.[1] : text;
    const templates = parse(yaml ?? "").templates.map((one: object) => ({ ...one, params: {} }));
    const request = '{"template":"shop","user_query":"shoes","params":{"query":"shoes"}}';
    const body = namedTemplate({ templates }, { ...ASKED, name: "shop", text: "sneakers" }, request);
    assert.ok(body.hasText);
    assert.not.match(body.text, "shoes");
    assert.match(body.text, "sneakers");
  });
}

test("a whole number beyond 2^53 stays itself", () => {
  assert.ok(filled('{"size":9007199254740993}').startsWith('{"size":9007199254740993,'));
});

test("what is null has its default, or no value", () => {
  const nulls = PARAMETERS.map(({ name }) => `"${name}":null`);
  for (const params of [`{${nulls}}`, "null", "{}"]) assert.is(filled(params), DEFAULTS);
});

const BAD: Record<string, [value: string, message: string][]> = {
  text: [
    ["5", "must be text"],
    ["{}", "must be text"],
    ['["a"]', "must be text"],
    ['"abcdef"', "must have at most 5 characters, got 6"],
  ],
  word: [
    ['"up"', 'must be one of "asc", "desc"'],
    ['["asc"]', "must be text"],
  ],
  number: [
    ['"5"', "must be a number"],
    ["0", "must be at least 1"],
    ["50.5", "must be at most 50"],
    ["1e999", "must be a number"],
    [`5.${"0".repeat(70)}`, "must have at most 64 digits"],
    ['{"a":1}', "must be a number"],
  ],
  flag: [
    ['"true"', "must be true or false"],
    ["1", "must be true or false"],
  ],
  texts: [
    ['"a"', "must be a list, each entry text"],
    ['{"0":"a","length":1}', "must be a list, each entry text"],
    ['["a",{}]', "has a wrong entry 2: it must be text"],
    ['["a",["b"]]', "has a wrong entry 2: it must be text"],
    ["[null]", "has a wrong entry 1: it must be text"],
    ['["a","b","c"]', "must have at most 2 entries, got 3"],
    ['["abcdef"]', "has a wrong entry 1: it must have at most 5 characters, got 6"],
  ],
  numbers: [
    ["[3]", "has a wrong entry 1: it must be one of 1, 2"],
    ['["1"]', "has a wrong entry 1: it must be a number"],
  ],
  flags: [['["true"]', "has a wrong entry 1: it must be true or false"]],
};

for (const [name, cases] of Object.entries(BAD)) {
  test(`a parameter of type ${PARAMETERS.find((one) => one.name === name)?.type} refuses what does not fit: ${name}`, () => {
    for (const [value, message] of cases)
      assert.equal(issuesOf(`{"${name}":${value}}`), [`params.${name}: ${message}`]);
  });
}

test("a text without a declared length, and a list without a declared number, have bounds", () => {
  const free: typeof TEMPLATE = { ...TEMPLATE, parameters: [{ name: "text", type: "texts" }] };
  assert.equal(issuesOf(JSON.stringify({ text: ["x".repeat(1_001)] }), free), [
    "params.text: has a wrong entry 1: it must have at most 1000 characters, got 1001",
    "params.size: is required by this template",
  ]);
  assert.equal(issuesOf(JSON.stringify({ text: Array(101).fill("x") }), free), [
    "params.text: must have at most 100 entries, got 101",
    "params.size: is required by this template",
  ]);
});

test("a value is never a token", () => {
  const long = TEMPLATE.parameters.map((parameter) => ({ ...parameter, max_length: 20 }));
  const filter = '{"text":"[params.size]","texts":["[search_query]"]}';
  const text = filled(filter, { ...TEMPLATE, parameters: long });
  assert.is(text, DEFAULTS.replace("[{", '[{"value":"[params.size]"},{"value":["[search_query]"]},{'));
});

test("a parameter without a value or default is required where nothing drops its token", () => {
  const required = {
    ...TEMPLATE,
    search_request_template: { size: "[params.number]", query: TEMPLATE.search_request_template.query },
  };
  for (const params of ["{}", '{"number":null}']) {
    assert.equal(issuesOf(params, required), ["params.number: is required by this template"]);
  }
});

test("all that is wrong is told at once", () => {
  assert.equal(issuesOf('{"flag":1,"text":2,"other":3}'), [
    "params.text: must be text",
    "params.flag: must be true or false",
    "params.other: is not a parameter of this template: there are text, word, number, flag, texts, numbers, flags, size",
  ]);
});

test.run();
