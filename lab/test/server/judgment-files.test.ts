import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { seeded } from "../../../lib/core/statistics/random.ts";
import { scratchFolder } from "../../../local/process/scratch.ts";
import { TEST_OUTPUT } from "../../../test/fixtures/env.ts";
import { suite } from "../../../test/suite.ts";
import { readJudgments } from "../../judgments/read.ts";
import { judgmentFiles } from "../../server/judgment-files.ts";

const test = suite("judgments files of the console");

const folder = join(scratchFolder(TEST_OUTPUT, "judgment-files"), "judgments");
const files = judgmentFiles(folder, "ada, lind", () => new Date("2026-01-02T03:04:05Z"));

test("writes a file that evaluate reads, with who judged and when", () => {
  files.judge("mine", { query: 'a "lamp", and\nmore', doc: "b1", grade: 3 });
  files.judge("mine", { query: "salt", doc: "b,2", grade: 0 });
  const text = readFileSync(files.path("mine"), "utf8");
  assert.is(text.split("\n")[0], "query,doc,grade,who,when");
  assert.match(text, 'salt,"b,2",0,"ada, lind",2026-01-02T03:04:05.000Z');
  const read = readJudgments(files.path("mine"));
  assert.equal(
    [...read],
    [
      ['a "lamp", and\nmore', new Map([["b1", 3]])],
      ["salt", new Map([["b,2", 0]])],
    ],
  );
  assert.equal(
    files.read("mine").map(({ doc }) => doc),
    ["b1", "b,2"],
  );
});

test("replaces an earlier judgment, and removes one that is withdrawn", () => {
  files.judge("again", { query: "salt", doc: "b1", grade: 1 });
  files.judge("again", { query: "salt", doc: "b1", grade: 2 });
  assert.equal(
    files.read("again").map(({ grade }) => grade),
    [2],
  );
  files.judge("again", { query: "salt", doc: "b1", grade: null });
  assert.equal(files.read("again"), []);
});

test("keeps one row for each judgment, whatever was judged, replaced and taken back, also beside an editor", () => {
  const texts = ["salt", "rosée, d'été", 'a "lamp"\nand more', "=1+1", "🙂"];
  const others = judgmentFiles(folder, "someone with a longer name");
  const expected = new Map<string, number>();
  const random = seeded(7);
  const pick = (count: number) => Math.floor(random() * count);
  for (let step = 0; step < 400; step += 1) {
    const [query = "", doc = `b${pick(4)}`] = [texts[pick(texts.length)]];
    const grade = pick(4) === 0 ? null : pick(4);
    const row = (pick(5) === 0 ? others : files).judge("walk", { query, doc, grade });
    assert.is(row?.grade ?? null, grade);
    if (grade === null) expected.delete(`${query} ${doc}`);
    else expected.set(`${query} ${doc}`, grade);
    const text = existsSync(files.path("walk")) ? readFileSync(files.path("walk"), "utf8") : "";
    // An editor writes the file in another way: with quotes where none are needed, and no end of its last line.
    if (pick(20) === 0) writeFileSync(files.path("walk"), text.replace(/,b(\d),/, ',"b$1",').trimEnd());
    const stored = files.read("walk").map((stored) => [`${stored.query} ${stored.doc}`, stored.grade] as const);
    assert.equal(stored.toSorted(), [...expected].toSorted());
    assert.is(stored.length, new Set(stored.map(([key]) => key)).size);
    assert.equal(judgmentFiles(folder, "ada").read("walk"), files.read("walk"));
  }
});

test("a grade writes its own line alone", () => {
  for (let i = 0; i < 100; i += 1) files.judge("long", { query: "salt", doc: `b${i}`, grade: 1 });
  const { ino } = statSync(files.path("long"));
  const lines = readFileSync(files.path("long"), "utf8").split("\n");
  files.judge("long", { query: "salt", doc: "b7", grade: 3 });
  files.judge("long", { query: "salt", doc: "new", grade: 2 });
  files.judge("long", { query: "salt", doc: "new", grade: null });
  assert.is(statSync(files.path("long")).ino, ino);
  const after = readFileSync(files.path("long"), "utf8").split("\n");
  assert.equal(
    after.filter((line, at) => line !== lines[at]),
    ['salt,b7,3,"ada, lind",2026-01-02T03:04:05.000Z'],
  );
});

test("leaves a file of another tool unchanged, and says so", () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(files.path("quepid"), "query,docid,rating\nsalt,b1,1\n");
  assert.throws(
    () => files.judge("quepid", { query: "salt", doc: "b1", grade: 1 }),
    /has the columns query,docid,rating/,
  );
  assert.is(readFileSync(files.path("quepid"), "utf8"), "query,docid,rating\nsalt,b1,1\n");
});

test("keeps a query that is a formula in a spreadsheet as text, through several writes", () => {
  const query = '=HYPERLINK("http://x")';
  for (const doc of ["-b1", "b2", "b3"]) files.judge("again", { query, doc, grade: 1 });
  assert.match(readFileSync(files.path("again"), "utf8"), `"'=HYPERLINK(""http://x"")",'-b1,1`);
  assert.equal(
    files.read("again").map(({ query, doc }) => [query, doc]),
    ["-b1", "b2", "b3"].map((doc) => [query, doc]),
  );
  assert.equal([...readJudgments(files.path("again")).keys()], [query]);
});

test("lists the files, and refuses names that leave the folder", () => {
  assert.equal(files.names(), ["again", "long", "mine", "quepid", "walk"]);
  for (const name of ["", "../mine", "a/b", ".hidden", "a.csv"]) assert.throws(() => files.path(name), /is not a name/);
  assert.equal(judgmentFiles(join(folder, "absent"), "ada").names(), []);
});

test.run();
