import * as assert from "uvu/assert";
import { notesBetween } from "../../../cli/plan/upgrade.ts";
import { suite } from "../../suite.ts";

const test = suite("notes on an upgrade");

const CHANGELOG = `# Changelog

## 0.3.0 - 2026-12-01

### Upgrading

- **Rights belong to keys.** \`allow\` is gone; it
  was unsafe.
- Run \`npm ci\`: the lock
  file changed.

### Added

- Something.

## [0.2.0] - 2026-11-25

### Upgrading

- Names changed

## 0.1.0 - 2026-11-21

### Upgrading

- Too old to say
`;

test("lists what to know of each version since the deployed one, oldest first", () => {
  assert.equal(notesBetween("0.1.0", "0.3.0", CHANGELOG), [
    "Version 0.1.0 of relevance deployed this; this is 0.3.0. CHANGELOG.md has what changed",
    "Upgrading to 0.2.0: Names changed",
    "Upgrading to 0.3.0: Rights belong to keys",
    "Upgrading to 0.3.0: Run `npm ci`",
  ]);
});

test("says nothing about the same version, and that a newer one is newer", () => {
  assert.equal(notesBetween("0.3.0", "0.3.0", CHANGELOG), []);
  assert.equal(notesBetween("0.4.0", "0.3.0", CHANGELOG), [
    "Version 0.4.0 of relevance deployed this, which is newer than this one, 0.3.0, or unknown to it",
  ]);
});

test.run();
