import * as assert from "uvu/assert";
import type { Parameter } from "../../../../lib/platform/json/parameters.ts";
import { templateTools } from "../../../../lib/search/tools/templates.ts";
import { suite } from "../../../suite.ts";

const test = suite("tools of templates");

/** Returns the schema that an agent reads of a template's parameter. */
function schemaOf(parameter: Partial<Parameter>) {
  const template = {
    name: "books",
    search_request_template: { query: { term: { year: "[params.one]" } } },
    params: {},
    parameters: [{ name: "one", ...parameter } as Parameter],
  };
  const key = { name: "agents", endpoints: ["search" as const], indexes: ["books"] };
  const [tool] = templateTools({ templates: [template], indexes: [] }, key);
  const params = tool?.inputSchema.properties.params as { properties: { one: object }; required: string[] };
  return [params.properties.one, params.required];
}

for (const [what, parameter, schema, required = ["one"]] of [
  ["a number with its limits", { type: "number", min: 0, max: 9 }, { type: "number", minimum: 0, maximum: 9 }],
  ["a text with its length", { type: "text", max_length: 20 }, { type: "string", maxLength: 20 }],
  ["a text of some values", { type: "text", values: ["a", "b"] }, { type: "string", enum: ["a", "b"] }],
  ["a list", { type: "texts", max_items: 3 }, { type: "array", items: { type: "string" }, maxItems: 3 }],
  [
    "what may be left out, with what it then is",
    { type: "number", default: 3, description: "How many." },
    { type: "number", description: "How many.", default: 3 },
    [],
  ],
] as const) {
  test(`an agent is told of ${what}`, () => {
    assert.equal(schemaOf(parameter as Partial<Parameter>), [schema, required]);
  });
}

/** Pages through a list of hits as an agent does, which an answer shows so many of, and returns the calls' cursors. */
function cursorsOf({
  total,
  outside,
  start,
  shown,
}: {
  total: number;
  outside: number;
  start?: object;
  shown: number;
}) {
  const size = 10;
  const template = {
    name: "books",
    search_request_template: { query: { match_all: {} }, size, ...(start && { from: "[params.start]" }) },
    params: {},
    parameters: start ? [{ name: "start", type: "number" as const, ...start }] : [],
  };
  const key = { name: "agents", endpoints: ["search" as const], indexes: ["books"] };
  const [tool] = templateTools({ templates: [template], indexes: [] }, key);
  const seen: number[] = [];
  if (!tool) throw new Error("no tool");
  let skip = 0;
  for (let more = true; more && seen.length < 1_000; ) {
    const given = { text: () => undefined, json: () => undefined, skip };
    const from = Number(JSON.parse(tool.request(given)).params.start ?? 0);
    const hits = Array.from({ length: Math.max(0, Math.min(size, total + outside - from)) }, (_, at) => ({
      _id: from + at,
    }));
    const answer = { search_response: { hits: { total: { value: total }, hits } }, stages: [{ outside }] };
    const { entries, hasMore } = tool.read(answer, given, {});
    const page = entries.slice(0, shown);
    seen.push(...page.map(({ id }) => Number(id)));
    skip += page.length;
    more = page.length > 0 && hasMore(page.length);
  }
  return seen;
}

for (const [what, list, count] of [
  [
    "a pin that is none of the hits, on a last page of its own",
    { total: 30, outside: 1, start: { min: 0 }, shown: 10 },
    31,
  ],
  ["all within the greatest start, with long documents", { total: 50, outside: 0, start: { max: 40 }, shown: 7 }, 50],
  ["no further than the greatest start", { total: 90, outside: 0, start: { max: 40 }, shown: 7 }, 50],
  ["the hits of a template without pages", { total: 90, outside: 0, shown: 3 }, 10],
] as const) {
  test(`an agent reaches ${what}`, () => {
    assert.equal(
      cursorsOf(list),
      Array.from({ length: count }, (_, at) => at),
    );
  });
}

test.run();
