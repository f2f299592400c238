import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { suite } from "../../../../test/suite.ts";
import { withDefaults } from "../../tuning/write-settings.ts";

const test = suite("defaults in hybrid_search.yaml");
const FOUND = { weights: [0.3, 0.7], normalization: "l2", combination: "arithmetic_mean", candidates: 50 };
const LINES = [
  "    settings: {weights: [0.3, 0.7], normalization: l2, combination: arithmetic_mean}",
  "    candidates: 50",
];
const SHIPPED = readFileSync("conf/hybrid_search.yaml", "utf8");

test("adds two lines to the shipped file and keeps every other", () => {
  const changed = withDefaults(SHIPPED, "products", FOUND)?.split("\n") ?? [];
  const position = changed.indexOf("  - index: products");
  assert.equal(changed.splice(position + 1, 2).sort(), [...LINES].sort());
  assert.is(changed.join("\n"), SHIPPED);
});

test("replaces existing settings and keeps the comments", () => {
  const text = `# Mine
hybrid_queries:
  - candidates: 100 # enough
    index: "books" # all of them
    settings: # tuned
      weights: [0.5, 0.5]
      normalization: min_max
    # The fields.
    embedding_mappings: []
  - index: other
`;
  const changed = withDefaults(text, "books", FOUND) ?? "";
  assert.match(changed, "candidates: 50 # enough\n");
  assert.match(changed, 'index: "books" # all of them\n');
  assert.match(changed, "# The fields.\n    embedding_mappings: []\n  - index: other\n");
  const [books, other] = parse(changed).hybrid_queries;
  const { candidates, ...settings } = FOUND;
  assert.equal(books, { candidates, index: "books", settings, embedding_mappings: [] });
  assert.equal(other, { index: "other" });
  assert.is(withDefaults(changed, "books", FOUND), changed);
});

test("leaves weights out when they are equal, and handles a file without a last line break", () => {
  const changed = withDefaults("hybrid_queries:\n- index: a", "a", { ...FOUND, weights: null });
  assert.equal(parse(changed ?? ""), {
    hybrid_queries: [{ index: "a", settings: { normalization: "l2", combination: "arithmetic_mean" }, candidates: 50 }],
  });
});

test("writes only what an index can have: k is part of a template", () => {
  for (const k of [null, 50]) {
    const tuned = { ...FOUND, k };
    assert.is(withDefaults(SHIPPED, "products", tuned), withDefaults(SHIPPED, "products", FOUND));
  }
});

test("does not change an unknown index or an entry in flow style", () => {
  assert.is(withDefaults(SHIPPED, "unknown", FOUND), undefined);
  assert.is(withDefaults("hybrid_queries: [{index: a}]", "a", FOUND), undefined);
  assert.is(withDefaults("hybrid_queries: []", "a", FOUND), undefined);
});

test.run();
