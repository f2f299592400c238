import * as assert from "uvu/assert";
import { settingsOf } from "../../../build/settings-files.ts";
import { settingChanges } from "../../../lib/platform/json/setting-changes.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import { type Change, configuration } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";

const test = suite("description of changed settings");

const names = namesOf({ project: "all-options", account: "123456789012", region: "eu-west-1" });

/** Returns the changes of api-router's settings between two configurations. */
function routerChanges(before: readonly Change[], after: readonly Change[]): string[] {
  const settings = (changes: readonly Change[]) =>
    settingsOf(configuration("all-options", changes), { names })["api-router"] ?? {};
  return settingChanges(settings(before), settings(after));
}

test("names a deny rule, a weight and a failure policy with the old and the new value", () => {
  const query = ["hybrid_queries", 0];
  const index = configuration("all-options").searchGateway?.hybridQueries[0]?.index;
  assert.equal(
    routerChanges(
      [["api.yaml", ["raw_backend", "deny"], ["DELETE /a", "DELETE /b"]]],
      [
        ["api.yaml", ["raw_backend", "deny"], ["DELETE /b", "* /_plugins/*"]],
        ["api.yaml", ["personalized_ranking", "weight"], 0.7],
        ["hybrid_search.yaml", [...query, "on_embedding_failure"], { write: "fail", query: "fail" }],
      ],
    ).sort(),
    [
      `indexes, "${index}", on embedding failure, query: "degrade" → "fail"`,
      `indexes, "${index}", on embedding failure, write: "degrade" → "fail"`,
      "personalized ranking, weight: 0.3 → 0.7",
      'raw backend deny: "* /_plugins/*" is added',
      'raw backend deny: "DELETE /a" is removed',
    ],
  );
});

test('shows a change between a rule list and "recommended", and from no list', () => {
  const [word] = routerChanges([], [["api.yaml", ["raw_backend", "deny"], ["DELETE /a"]]]);
  assert.is(word, 'raw backend deny: "recommended" → ["DELETE /a"]');
  const [none] = routerChanges([["api.yaml", ["raw_backend"], undefined]], []);
  assert.is(none, 'raw backend deny: [] → "recommended"');
});

test("names an added or removed mapping by its index, and notes another order", () => {
  const entry = (index: string) => ({ index, candidates: 100 });
  assert.equal(settingChanges({ indexes: [entry("a"), entry("b")] }, { indexes: [entry("b"), entry("c")] }), [
    'indexes: "a" is removed',
    'indexes: "c" is added',
  ]);
  assert.equal(settingChanges({ indexes: [entry("a"), entry("b")] }, { indexes: [entry("b"), entry("a")] }), [
    "indexes: another order",
  ]);
});

test("returns nothing for equal settings", () => {
  assert.equal(routerChanges([], []), []);
});

test.run();
