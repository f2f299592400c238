import * as assert from "uvu/assert";
import * as v from "valibot";
import { versionValue } from "../../../../lib/platform/aws/documents.ts";
import { CONFIGURED_PLACEMENTS } from "../../../../lib/recommendation/placements/configured.ts";
import { type Placement, PlacementsSchema } from "../../../../lib/settings/placements.ts";
import { suite } from "../../../suite.ts";

const test = suite("changes of placements");

const { changesOf: placementChanges } = CONFIGURED_PLACEMENTS;

const placements = (...settings: object[]): readonly Placement[] =>
  v.parse(PlacementsSchema, { placements: settings }).placements;

test("describes each changed placement in one line", () => {
  const category = { column: "CATEGORIES", most: 2 };
  const before = placements({ name: "home", limit: 10 }, { name: "basket" }, { name: "same" });
  const after = placements({ name: "home", limit: 12, diversity: { category } }, { name: "page" }, { name: "same" });
  assert.equal(placementChanges(before, after), [
    'Placement home: limit: 10 → 12; diversity, category: (none) → {"column":"CATEGORIES","most":2}',
    "Placement page: new",
    "Placement basket: removed",
  ]);
  assert.equal(placementChanges(before, before), []);
});

test("refuses a version with settings that this version does not know", () => {
  const version = { version: 3, written_at: "", written_by: "ann", content: { placements: [{ name: "a", later: 1 }] } };
  assert.throws(() => versionValue(CONFIGURED_PLACEMENTS, version), /Version 3 of the placements has settings/);
  const known = { ...version, content: { placements: placements({ name: "a" }) } };
  assert.equal(versionValue(CONFIGURED_PLACEMENTS, known), placements({ name: "a" }));
});

test.run();
