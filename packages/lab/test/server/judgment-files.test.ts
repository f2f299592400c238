import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seeded } from "@relevance/lib/platform/statistics/random.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import { readJudgments, readJudgmentsFile } from "../../judgments/read.ts";
import { judgmentFiles, PersonName } from "../../server/judgment-files.ts";

const test = suite("judgments files of the console");

const folder = join(scratchFolder(TEST_OUTPUT, "judgment-files"), "judgments");
const files = judgmentFiles(folder, "ada, lind", () => new Date("2026-01-02T03:04:05Z"));

test("writes a file that evaluate reads, with who judged and when", () => {
  files.judge("mine", { query: 'a "lamp", and\nmore', doc: "b1", grade: 3, index: "" });
  files.judge("mine", { query: "salt", doc: "b,2", grade: 0, index: "books" });
  const text = readFileSync(files.path("mine"), "utf8");
  assert.is(text.split("\n")[0], "query,doc,grade,index,who,when");
  assert.match(text, 'salt,"b,2",0,books,"ada, lind",2026-01-02T03:04:05.000Z');
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

test("keeps one row for each judgment, whatever was judged, replaced and taken back, also beside an editor", () => {
  const texts = ["salt", "rosée, d'été", 'a "lamp"\nand more', "=1+1", "🙂"];
  const others = judgmentFiles(folder, "someone with a longer name");
  const expected = new Map<string, number>();
  const random = seeded(7);
  const pick = (count: number) => Math.floor(random() * count);
  for (let step = 0; step < 400; step += 1) {
    const [query = "", doc = `b${pick(4)}`] = [texts[pick(texts.length)]];
    const grade = pick(4) === 0 ? null : pick(4);
    const row = (pick(5) === 0 ? others : files).judge("walk", { query, doc, grade, index: "" });
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
  for (let i = 0; i < 100; i += 1) files.judge("long", { query: "salt", doc: `b${i}`, grade: 1, index: "" });
  const { ino } = statSync(files.path("long"));
  const lines = readFileSync(files.path("long"), "utf8").split("\n");
  files.judge("long", { query: "salt", doc: "b7", grade: 3, index: "" });
  files.judge("long", { query: "salt", doc: "new", grade: 2, index: "" });
  files.judge("long", { query: "salt", doc: "new", grade: null, index: "" });
  assert.is(statSync(files.path("long")).ino, ino);
  const after = readFileSync(files.path("long"), "utf8").split("\n");
  assert.equal(
    after.filter((line, at) => line !== lines[at]),
    ['salt,b7,3,,"ada, lind",2026-01-02T03:04:05.000Z'],
  );
});

test("leaves a language model's judgment beside that of a person, and when that is taken back", () => {
  mkdirSync(folder, { recursive: true });
  const rows = "query,doc,grade,index,who,when,origin\nsalt,b1,3,books,small,now,model\n";
  writeFileSync(files.path("model"), rows);
  files.judge("model", { query: "salt", doc: "b1", grade: 0, index: "books" });
  const grades = files.read("model").map(({ grade, origin }) => `${grade} ${origin}`);
  assert.equal(grades, ["3 model", "0 people"]);
  assert.equal([...readJudgments(files.path("model"))], [["salt", new Map([["b1", 0]])]]);
  files.judge("model", { query: "salt", doc: "b1", grade: null, index: "books" });
  assert.is(readFileSync(files.path("model"), "utf8"), rows);
});

test("keeps the grade of each rater and the decision beside it, each replaced and taken back alone", () => {
  const judge = (grade: number | null, names: { rater?: string; adjudicated?: string } = {}) =>
    files.judge("raters", { query: "salt", doc: "b1", grade, index: "books", ...names });
  const kept = () => files.read("raters").map(({ grade, rater, adjudicated }) => [grade, rater, adjudicated]);
  judge(1);
  const before = readFileSync(files.path("raters"), "utf8");
  assert.is(before.split("\n")[0], "query,doc,grade,index,who,when");
  judge(2);
  judge(1);
  assert.is(readFileSync(files.path("raters"), "utf8"), before);
  judge(3, { rater: "Ada" });
  judge(0, { rater: "Ben, Ω" });
  judge(2, { rater: "Ada" });
  assert.equal(kept(), [
    [1, undefined, undefined],
    [2, "Ada", undefined],
    [0, "Ben, Ω", undefined],
  ]);
  const grade = () => readJudgments(files.path("raters")).get("salt")?.get("b1");
  assert.is(grade(), 0);
  judge(2, { adjudicated: "Ada" });
  judge(3, { adjudicated: "Dora" });
  assert.is(grade(), 3);
  assert.equal(judgmentFiles(folder, "ada").read("raters"), files.read("raters"));
  judge(null, { adjudicated: "Dora" });
  judge(null, { rater: "Ben, Ω" });
  assert.equal(kept(), [
    [1, undefined, undefined],
    [2, "Ada", undefined],
  ]);
});

test("continues a file of another tool: keeps its columns, its rows and what separates them", () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(files.path("quepid"), 'Team,Query Text,Doc ID,Rating\n"A, B",salt,b1,1\nC,salt,b2,\n');
  files.judge("quepid", { query: "salt", doc: "b2", grade: 3, index: "books" });
  assert.is(
    readFileSync(files.path("quepid"), "utf8"),
    'Team,Query Text,Doc ID,Rating,index,who,when\n"A, B",salt,b1,1,,,\n' +
      ',salt,b2,3,books,"ada, lind",2026-01-02T03:04:05.000Z\n',
  );
  const clicks = "query;doc;grade;index;origin;impressions;clicks\nsalt;b1;1,5;books;clicks;40;4\n";
  writeFileSync(files.path("clicks"), clicks);
  assert.equal(files.read("clicks"), [
    { query: "salt", doc: "b1", grade: 1.5, index: "books", origin: "clicks", who: "" },
  ]);
  files.judge("clicks", { query: "salt", doc: "b2", grade: 2, index: "books" });
  assert.match(
    readFileSync(files.path("clicks"), "utf8"),
    "salt;b1;1,5;books;clicks;40;4;;\nsalt;b2;2;books;people;;;ada, lind;",
  );
  assert.equal(
    readJudgmentsFile(files.path("clicks")).rows.map(({ origin }) => origin),
    ["clicks", "people"],
  );
});

test("continues a file that is no CSV in one beside it, with its raters", () => {
  const list = JSON.stringify({ judgmentRatings: [{ query: "salt", ratings: [{ docId: "b1", rating: "2.0" }] }] });
  const named = JSON.stringify(["Ada", "Ben"].map((rater, grade) => ({ query: "salt", doc: "b1", grade, rater })));
  writeFileSync(join(folder, "workbench.json"), list);
  writeFileSync(join(folder, "named.json"), named);
  assert.equal(files.read("workbench"), [{ query: "salt", doc: "b1", grade: 2, index: "", origin: "import", who: "" }]);
  files.judge("workbench", { query: "salt", doc: "b2", grade: 0, index: "books" });
  assert.is(readFileSync(join(folder, "workbench.json"), "utf8"), list);
  assert.is(files.path("workbench"), join(folder, "workbench.csv"));
  assert.is(files.read("workbench").length, 2);
  files.judge("named", { query: "salt", doc: "b1", grade: 3, index: "", rater: "Ben" });
  const kept = files.read("named").map(({ grade, rater, origin }) => `${grade} ${rater} ${origin}`);
  assert.equal(kept, ["0 Ada people", "3 Ben people"]);
});

test("keeps the judgments of two indexes apart", () => {
  for (const index of ["books", "films"]) files.judge("two", { query: "salt", doc: "b1", grade: 1, index });
  files.judge("two", { query: "salt", doc: "b1", grade: 3, index: "films" });
  const kept = files.read("two").map(({ index, grade }) => `${index} ${grade}`);
  assert.equal(kept, ["books 1", "films 3"]);
});

test("says what is wrong with a file, and leaves it unchanged", () => {
  const latin = Buffer.from("query,doc,grade\ncafé,b1,1\n", "latin1");
  writeFileSync(files.path("latin"), latin);
  const judgment = { query: "salt", doc: "b1", grade: 1, index: "" };
  assert.throws(() => files.judge("latin", judgment), /latin\.csv: line 2 is not UTF-8; the file is probably Latin-1/);
  assert.equal(readFileSync(files.path("latin")), latin);
});

test("keeps a query that is a formula in a spreadsheet as text, through several writes", () => {
  const query = '=HYPERLINK("http://x")';
  for (const doc of ["-b1", "b2", "b3"]) files.judge("again", { query, doc, grade: 1, index: "" });
  assert.match(readFileSync(files.path("again"), "utf8"), `"'=HYPERLINK(""http://x"")",'-b1,1`);
  assert.equal(
    files.read("again").map(({ query, doc }) => [query, doc]),
    ["-b1", "b2", "b3"].map((doc) => [query, doc]),
  );
  assert.equal([...readJudgments(files.path("again")).keys()], [query]);
});

test("takes names with joiners and direction marks, and none with control characters or half a character", () => {
  for (const name of ["علی\u200cرضا", "\u200fדנה", "Zoë 🙂", "O'Brien, Q."]) assert.ok(v.is(PersonName, name), name);
  for (const name of ["", " ", "a\nb", "a\0", "a\u0085b", "a\ud800"]) assert.not(v.is(PersonName, name), name);
});

test("lists the files, and refuses names that leave the folder", () => {
  for (const name of ["again", "mine", "named", "workbench"]) assert.ok(files.names().includes(name), name);
  assert.equal(files.names(), files.names().toSorted());
  for (const name of ["", "../mine", "a/b", ".hidden", "a.csv"]) assert.throws(() => files.path(name), /is not a name/);
  assert.equal(judgmentFiles(join(folder, "absent"), "ada").names(), []);
});

test.run();
