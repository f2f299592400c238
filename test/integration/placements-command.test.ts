import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { readText } from "../../lib/platform/aws/object-store.ts";
import { s3ObjectStore } from "../../lib/platform/aws/s3-object-store.ts";
import { currentKey } from "../../lib/platform/aws/versioned-documents.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { createBucket } from "../../packages/local/dev/clients.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { localFolder } from "../cli/local-world.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("relevance placements and synonyms");

const cloud = await sharedCloud();
const project = unique("p").slice(0, 12).replace(/-$/, "");
const names = namesOf({ project, account: cloud.accountId, region: cloud.region });
const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });
const local = localFolder(cloud.endpoint);

function edit(file: string, before: string | RegExp, after: string): void {
  const path = join(local.folder, "conf.local", file);
  writeFileSync(path, readFileSync(path, "utf8").replace(before, after));
}

let hasStarted = false;

/** Runs a command: the first one in a process of its own, as a user does. */
const runOf = async (document: string, ...words: string[]) => {
  const isFirst = !hasStarted;
  hasStarted = true;
  const { code, out, err } = await local[isFirst ? "run" : "runHere"](document, ...words, "--local");
  assert.is(code, 0, err);
  return out;
};

const run = (...words: string[]) => runOf("placements", ...words);

test.after(() => local.remove());

test.before(async () => {
  await createBucket(s3, names.bucket(), cloud.region);
  edit("project.yaml", /^project_name: .*$/m, `project_name: ${project}`);
});

test("applies placements, lists who wrote them, and takes them back", async () => {
  assert.match(await run("apply"), /^Placement home: new\n(.+\n)+Version 1 is in use within a minute/);
  edit("recommendation.yaml", "limit: 8", "limit: 9");
  assert.match(await run("apply"), /^Placement home: limit: 8 → 9\nVersion 2 /);
  assert.match(await run("revert"), /^Placement home: limit: 9 → 8\nVersion 3, with the placements of version 1/);
  const versions = JSON.parse(await run("versions", "--json"));
  assert.equal(
    versions.map(({ version, reverts_to, changes }: Record<string, unknown>) => [version, reverts_to, changes]),
    [
      [3, 1, ["Placement home: limit: 9 → 8"]],
      [2, undefined, ["Placement home: limit: 8 → 9"]],
      [
        1,
        undefined,
        ["home", "product-page", "basket", "also-read", "shop-for-you", "shop-similar"].map(
          (name) => `Placement ${name}: new`,
        ),
      ],
    ],
  );
  for (const { written_by } of versions) assert.match(written_by, /^arn:aws:(iam|sts)::\d{12}:/);
  const current = JSON.parse((await readText(s3ObjectStore(s3, names.bucket()), currentKey("placements"))) ?? "");
  assert.equal([current.version, current.content.placements[0].limit], [3, 8]);
});

test("applies rules, shows a draft of the next ones, and takes them back", async () => {
  const run = (...words: string[]) => runOf("rules", ...words);
  const write = (...rules: object[]) =>
    writeFileSync(join(local.folder, "conf.local", "rules.yaml"), JSON.stringify({ rules }));
  const rule = (name: string, banner: string) => ({ name, effects: { data: { banner } } });
  rmSync(join(local.folder, "conf.local", "rules.yaml"));
  const none = await local.runHere("rules", "apply", "--local");
  assert.equal([none.code, /There are no rules: rules.yaml/.test(none.err)], [2, true]);
  write(rule("a", "one"));
  assert.match(await run("apply"), /^Rule a: new\nVersion 1 is in use within a minute/);
  write(rule("a", "two"), rule("b", "three"));
  assert.match(
    await run("apply", "--draft"),
    /^Rule a: effects, data, banner: "?one"? → "?two"?\nRule b: new\nThe draft is written/,
  );
  assert.match(await run("show", "draft"), /banner: two/);
  assert.match(await run("show"), /^rules:\n {2}- name: a\n(.+\n)+.*banner: one\n$/);
  await run("apply");
  write(rule("b", "three"), rule("a", "two"));
  assert.match(await run("apply"), /^The order of the rules has changed\nVersion 3/);
  assert.match(await run("revert", "1"), /^Rule a: .+\nRule b: removed\nVersion 4, with the rules of version 1/);
  const versions = JSON.parse(await run("list", "--json"));
  assert.equal(
    versions.map(({ version }: { version: number }) => version),
    [4, 3, 2, 1],
  );
  for (const { written_by } of versions) assert.match(written_by, /^arn:aws:(iam|sts)::\d{12}:/);
  const current = JSON.parse((await readText(s3ObjectStore(s3, names.bucket()), currentKey("rules"))) ?? "");
  assert.equal([current.version, current.content.rules.length], [4, 1]);
});

test("applies synonyms, lists who wrote them, and takes them back", async () => {
  const synonyms = (text: string) => writeFileSync(join(local.folder, "conf.local", "synonyms", "books.txt"), text);
  edit(
    "hybrid_search.yaml",
    /files:\n.+books\.en\.txt.+\n.+default_locale: en\n/,
    "files: [{ file: synonyms/books.txt }]\n",
  );
  synonyms("ship, vessel\n");
  assert.match(
    await runOf("synonyms", "apply"),
    /^Synonyms synonyms\/books.txt: new, with 1 rule\nVersion 1 is in use/,
  );
  synonyms("boat => ship\nship, vessel\n");
  assert.match(await runOf("synonyms", "apply"), /^Synonyms synonyms\/books.txt: 1 added: "boat => ship"\nVersion 2 /);
  assert.match(
    await runOf("synonyms", "revert"),
    /^Synonyms .+: 1 removed: "boat => ship"\nVersion 3, with the synonyms of version 1/,
  );
  const versions = JSON.parse(await runOf("synonyms", "versions", "--json"));
  assert.equal(
    versions.map(({ version, reverts_to }: Record<string, unknown>) => [version, reverts_to]),
    [
      [3, 1],
      [2, undefined],
      [1, undefined],
    ],
  );
  for (const { written_by } of versions) assert.match(written_by, /^arn:aws:(iam|sts)::\d{12}:/);
});

test.run();
