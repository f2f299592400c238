import * as assert from "uvu/assert";
import { hiddenFields, isHidden } from "../../../../lib/search/opensearch/hidden-fields.ts";
import { suite } from "../../../suite.ts";

const test = suite("fields that _source excludes");

for (const [what, filter, hidden] of [
  ["none without a filter", {}, []],
  ["all if _source is off, but no alias, which holds nothing", { enabled: false }, ["title", "author", "author.name"]],
  ["those that no pattern includes", { includes: ["title"] }, ["author", "author.name"]],
  ["an object with its members", { excludes: ["author"] }, ["author", "author.name"]],
  ["an object of which a member is excluded", { excludes: ["author.name"] }, ["author", "author.name"]],
] as const) {
  test(what, () => {
    const types = { title: "text", author: "object", "author.name": "keyword", name: "alias" };
    const fields = new Map(Object.entries(types).map(([name, type]) => [name, { type }]));
    assert.equal(hiddenFields(filter as object, fields), hidden);
    for (const field of hidden) assert.ok(isHidden(filter as object, field));
  });
}

test.run();
