import * as assert from "uvu/assert";
import { capabilitiesOf } from "../../../../../lib/search/opensearch/capabilities.ts";
import { appliedSettings } from "../../../../../lib/search/sources/hybrid/request.ts";
import { settingsIssues } from "../../../../../lib/search/sources/hybrid/target.ts";
import { suite } from "../../../../suite.ts";

const test = suite("settings of a hybrid search");
const NOTHING = { weights: null, normalization: null, combination: null };
const OF_INDEX = { weights: [0.3, 0.7], normalization: "l2", combination: "harmonic_mean" } as const;
const defaults = { ...OF_INDEX, weights: [...OF_INDEX.weights] };

test("a request without settings uses those of the index", () => {
  assert.equal(appliedSettings(NOTHING, defaults, 2), defaults);
});

test("a request's own settings win, one by one", () => {
  assert.equal(appliedSettings({ ...NOTHING, weights: [0.5, 0.5] }, defaults, 2).weights, [0.5, 0.5]);
  assert.is(appliedSettings({ ...NOTHING, normalization: "min_max" }, defaults, 2).normalization, "min_max");
});

test("weights of the index do not apply to another number of subqueries or another technique", () => {
  assert.is(appliedSettings(NOTHING, defaults, 3).weights, null);
  assert.is(appliedSettings({ ...NOTHING, combination: "rrf" }, defaults, 2).weights, null);
});

test("settings that the cluster does not support are reported with the version that does", () => {
  const issues = (settings: object, version: string) =>
    settingsIssues({ ...defaults, weights: null, ...settings }, capabilitiesOf(version)).map(
      ({ path, message }) => `${path} ${message}`,
    );
  const mean = { combination: "arithmetic_mean" };
  assert.equal(issues({ combination: "rrf" }, "2.18.0"), [
    "settings.combination rrf needs OpenSearch 2.19; the cluster is 2.18.0",
  ]);
  assert.equal(issues({ combination: "rrf", weights: [1] }, "2.19.6"), [
    "settings.weights rrf with weights needs OpenSearch 3.6; the cluster is 2.19.6",
  ]);
  assert.equal(issues({ ...mean, normalization: "z_score" }, "2.19.6"), [
    "settings.normalization z_score needs OpenSearch 3.0; the cluster is 2.19.6",
  ]);
  assert.equal(issues({ normalization: "z_score" }, "3.6.0"), [
    "settings.combination must be arithmetic_mean with z_score",
  ]);
  assert.equal(issues({ combination: "rrf" }, "2.19.6"), []);
  assert.equal(issues({ combination: "rrf", weights: [1] }, "3.6.0"), []);
  assert.equal(issues({ ...mean, normalization: "z_score" }, "3.0.0"), []);
});

test.run();
