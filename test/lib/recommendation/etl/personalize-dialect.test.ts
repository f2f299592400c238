import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { profileParser, profileProperties } from "../../../../lib/recommendation/records/profile.ts";
import { batchesOf } from "../../../../lib/recommendation/upload/files.ts";
import { parseSchema } from "../../../../packages/local-personalize/data/avro-schema.ts";
import { ImportFailure, readImport } from "../../../../packages/local-personalize/data/csv-import.ts";
import { directoryStorage } from "../../../../packages/local-personalize/data/storage.ts";
import type { Model } from "../../../../packages/local-personalize/learn/train.ts";
import { FIELDS, importCsv, openShop, trainVersion } from "../../../../packages/local-personalize/test/book-shop.ts";
import { memoryObjects, startPersonalize } from "../../../../packages/local-personalize/test/harness.ts";
import { csv, rows } from "../../../../packages/local-personalize/test/interactions.ts";
import { suite } from "../../../suite.ts";
import { DEFINITIONS, world } from "./run.ts";

const test = suite("the CSV dialect of Personalize");

const TITLES = [
  'The "Best", of \\ Everything\nand more',
  "ends with \\",
  "\\",
  '"',
  '\\"',
  'a,b"\\,"c\\\\',
  "line\r\nbreak\rand\nbreak",
  "ümläut 日本 🙂",
];

const schema = parseSchema(JSON.stringify(DEFINITIONS.schemas.item));

/** Imports CSV text as the local Personalize does, and returns the column TEXTUAL_FIELD. */
async function imported(files: Readonly<Record<string, string>>): Promise<unknown[]> {
  const objects = memoryObjects(new Map(Object.entries(files).map(([key, text]) => [`bucket/${key}`, text])));
  const { columns, rows } = await readImport("s3://bucket/etl/run=r1/items/", schema, "ITEMS", objects);
  return rows.map((row) => row[columns.indexOf("TEXTUAL_FIELD")]);
}

/** Imports a file of items into the local Personalize, trains, and returns the words of each item in the trained model. */
async function trainedWords(items: string, dir: string): Promise<Record<string, string[]>> {
  const harness = await startPersonalize(dir);
  try {
    const shop = await openShop(harness, "books", { ...FIELDS, Items: DEFINITIONS.schemas.item.fields });
    for (const [dataset, file] of [
      [shop.datasets.Items, items],
      [shop.datasets.Interactions, csv(...rows(1_200))],
    ] as const) {
      assert.is((await importCsv(harness, dataset, file))?.status, "ACTIVE");
    }
    const { solutionVersionArn } = await trainVersion(harness, shop, "aws-user-personalization");
    const { set, learned } = directoryStorage(dir).loadModel(solutionVersionArn) as Model;
    const features = learned.learner === "taste" ? learned.taste.features : undefined;
    const namesOf = (item: number) => (features?.ofItem[item] ?? []).map((one) => features?.names[one] ?? "");
    const isWord = (name: string) => name.startsWith("TEXTUAL_FIELD=");
    return Object.fromEntries(set.items.map((id, item) => [id, namesOf(item).filter(isWord)]));
  } finally {
    harness.stop();
  }
}

test("keeps titles intact from the uploaded file to the trained model, and sends the same with PutItems", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dialect-"));
  try {
    const file = join(folder, "items.csv");
    const lines = TITLES.map((title, index) => `B${index},"${title.replaceAll('"', '""')}",Ada,a`);
    writeFileSync(file, `ITEM_ID,TITLE,AUTHOR,CATEGORIES\n${lines.join("\n")}\n`);
    const parse = profileParser("item", DEFINITIONS);
    const properties = profileProperties("item", DEFINITIONS);
    const sent: unknown[] = [];
    const { store, records, run } = world();
    records.item = [];
    for await (const batch of batchesOf("item", file)) {
      for (const { record } of batch) {
        const parsed = parse(record);
        if ("issues" in parsed) throw new Error(JSON.stringify(parsed.issues));
        records.item.push(parsed.record);
        sent.push(JSON.parse(properties(parsed.record)).textualField);
      }
    }
    await run("r1");
    const expected = TITLES.map((title) => title.replace(/\r\n|[\r\n]/g, " "));
    const texts = store.texts("etl/run=r1/items/");
    assert.equal(await imported(texts), expected);
    assert.equal(sent, expected);
    for (const text of Object.values(texts)) assert.is(text.split("\n").length, TITLES.length + 2);

    const [items = ""] = Object.values(texts);
    const trained = await trainedWords(items, join(folder, "personalize"));
    const named = (text: string) => text.split(" ").map((word) => `TEXTUAL_FIELD=${word}`);
    assert.equal(trained.B0, named('the " best , of \\ everything and more'));
    assert.equal(trained.B1, named("ends with \\"));
    assert.equal(
      TITLES.map((_, index) => trained[`B${index}`]?.length),
      [9, 3, 1, 1, 2, 6, 3, 3],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const HEADER = "ITEM_ID,TEXTUAL_FIELD,AUTHOR,CATEGORIES,IS_ACTIVE\n";
const OTHERS: readonly [what: string, cell: string, reason: RegExp][] = [
  ["doubled quotes", '"a ""b"""', /Invalid Closing Quote/],
  ["a line break in a cell", '"a\nb"', /a record must be on one line/],
  ["a backslash outside quotes", "ends with \\", /a cell with a backslash must be in quotes/],
];
for (const [what, cell, reason] of OTHERS) {
  test(`has no ${what}: the local Personalize fails the import`, async () => {
    const error = await imported({ "etl/run=r1/items/a.csv": `${HEADER}B1,${cell},Ada,a,True\n` }).catch(
      (failure: unknown) => failure,
    );
    assert.instance(error, ImportFailure);
    assert.match(error instanceof Error ? error.message : "", reason);
  });
}

test.run();
