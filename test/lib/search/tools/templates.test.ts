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

test.run();
