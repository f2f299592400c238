import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { UsageError } from "@relevance/lib/platform/failure.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../test/fixtures/env.ts";
import { suite } from "../../../test/suite.ts";
import { converter } from "../convert.ts";
import { propose } from "../proposal.ts";
import { Question } from "../question.ts";
import { readTable } from "../rows.ts";
import { LAYOUTS } from "./layouts.ts";

const test = suite("a file of one's own");

const folder = scratchFolder(TEST_OUTPUT, "start");
test.after(() => rmSync(folder, { recursive: true }));

/** Writes a file, and reads it. */
function tableOf(text: string, name = "things.csv", encoding: BufferEncoding = "utf8") {
  const file = join(folder, name);
  writeFileSync(file, text, encoding);
  return { file, table: readTable(file) };
}

for (const { source, file: name, text, encoding, dates, id, title, types, first } of LAYOUTS) {
  test(`reads ${name} as ${new URL(source).host} describes it`, () => {
    const { file, table } = tableOf(text, name, encoding);
    const proposal = propose(file, table, { dates });
    assert.is(proposal.id?.path, id, "id");
    assert.is(proposal.title.path, title, "title");
    const found = new Map(proposal.columns.map(({ field, type }) => [field, type]));
    assert.equal(Object.fromEntries(Object.keys(types).map((field) => [field, found.get(field)])), types);
    const leftOut = new Map();
    const [document] = table.rows.map(converter(proposal, leftOut));
    assert.equal(Object.fromEntries(Object.keys(first).map((field) => [field, document?.doc[field]])), first);
    assert.is(leftOut.size, 0);
  });
}

test("asks whether a date is in April or in March, and names the option", () => {
  const { file, table } = tableOf("name,made\nRake with a long handle,3/4/2024\nWatering can,5/6/2024\n");
  assert.throws(
    () => propose(file, table, {}),
    (error: Error) => error instanceof Question && error.option === "dates" && /column made/.test(error.message),
  );
  const made = (dates: "day-first" | "month-first") => {
    const proposal = propose(file, table, { dates });
    return converter(proposal, new Map())(table.rows[0] ?? {}).doc.made;
  };
  assert.equal([made("day-first"), made("month-first")], ["2024-04-03", "2024-03-04"]);
});

test("leaves out the few values of another type, and counts them", () => {
  const rows = Array.from({ length: 100 }, (_, at) => `thing number ${at},${at === 7 ? "ask us" : at}.50`);
  const { file, table } = tableOf(`name,price\n${rows.join("\n")}\n`);
  const leftOut = new Map();
  const documents = table.rows.map(converter(propose(file, table, {}), leftOut));
  assert.equal(documents[8]?.doc, { name: "thing number 8", price: 8.5 });
  assert.equal(documents[7]?.doc, { name: "thing number 7" });
  assert.equal([...leftOut.values()], [{ count: 1, example: "ask us.50" }]);
});

test("gives rows without an id the same one each time", () => {
  const { file, table } = tableOf("name,size\nRake with a long handle,1\nRake with a long handle,2\n");
  const ids = () => table.rows.map(converter(propose(file, table, {}), new Map())).map((document) => document.id);
  assert.equal(ids(), ids());
  assert.is(new Set(ids()).size, 2);
});

const REFUSED: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
  "an empty file": ["", /is empty/],
  "a header alone": ["name,price\n", /has no rows/],
  "broken JSON": ['[{"name": "a"', /is not valid JSON/],
  "JSON without objects": ["[1, 2]", /has no rows/],
  "numbers alone": ["a,b\n1,2\n3,4\n", /no column with text/],
};

for (const [what, [text, says]] of Object.entries(REFUSED)) {
  test(`refuses ${what}, and says why`, () => {
    assert.throws(
      () => {
        const { file, table } = tableOf(text);
        propose(file, table, {});
      },
      (error: Error) => error instanceof UsageError && says.test(error.message),
    );
  });
}

test("reads a packed file, whose name is the index", () => {
  const file = join(folder, "books.csv.gz");
  writeFileSync(file, gzipSync("isbn,title\n1,The Book of Rivers\n2,The Book of Stones\n"));
  assert.is(propose(file, readTable(file), {}).index, "books");
  writeFileSync(file, gzipSync("PK\u0000\u0000"));
  assert.throws(() => readTable(file), /is not a text file: save it as CSV or JSON/);
});

test("makes one field of a column that is empty, text or objects by turns", () => {
  const rows = [
    { title: "A river", tags: null },
    { title: "A hill", tags: [{ name: "high" }] },
    { title: "A sea", tags: "wet" },
  ];
  const proposal = propose("places.json", { rows: [...rows, ...rows.slice(1, 2)] }, { title: "title" });
  assert.equal(
    proposal.columns.map(({ path }) => path),
    ["title", "tags.name"],
  );
  const toDocument = converter(proposal, new Map());
  assert.equal(
    rows.map((row) => toDocument(row).doc.tags),
    [undefined, [{ name: "high" }], undefined],
  );
});

test.run();
