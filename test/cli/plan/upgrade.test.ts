import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as assert from "uvu/assert";
import { notesBetween, upgradeNotes } from "../../../cli/plan/upgrade.ts";
import { namesOf } from "../../../lib/core/naming/names.ts";
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

const names = namesOf({ project: "shop", account: "123456789012", region: "eu-west-1" });

/** Asks a parameter store that answers every call like this. */
async function notesFrom(status: number, body: object): Promise<string[]> {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const sdk = { region: "eu-west-1", endpoint, credentials };
  return upgradeNotes({ sdk }, names).finally(() => server.close());
}

test("reads the version that deploy recorded, for both services once", async () => {
  const notes = await notesFrom(200, { Parameter: { Value: "99.0.0" } });
  assert.equal([notes.length, notes[0]?.startsWith("Version 99.0.0 of relevance deployed this")], [1, true]);
});

test("gives no notes before the first deployment, and to whoever may not read the version", async () => {
  assert.equal(await notesFrom(400, { __type: "ParameterNotFound" }), []);
  assert.equal(await notesFrom(400, { __type: "AccessDeniedException" }), []);
});

test.run();
