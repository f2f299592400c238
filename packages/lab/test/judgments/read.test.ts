import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { csv } from "../../judgments/csv.ts";
import { doubtAboutTexts, doubtsAbout, judgmentsAbout } from "../../judgments/doubts.ts";
import { writeClicks } from "../../judgments/judgments.ts";
import { readJudgments, readJudgmentsFile, readTopics } from "../../judgments/read.ts";
import { JudgmentsError } from "../../judgments/text.ts";

const test = suite("judgments files");
const folder = mkdtempSync(join(tmpdir(), "judgments-"));
test.after(() => rmSync(folder, { recursive: true }));

function written(name: string, content: string | Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const asObject = (name: string, content: string | Buffer) =>
  Object.fromEntries(
    Array.from(readJudgments(written(name, content)), ([q, grades]) => [q, Object.fromEntries(grades)]),
  );

const TABLE = "query,doc,grade\nred dress,b1,3\nred dress,b2,0\nlamp,b1,1\n";
const SAME = { "red dress": { b1: 3, b2: 0 }, lamp: { b1: 1 } };

test("reads CSV with query, doc and grade, and both exports of Quepid without documents that have no rating", () => {
  assert.equal(asObject("a.csv", TABLE), SAME);
  assert.equal(asObject("b.csv", "query,docid,rating\nred dress,b1,3.0\nred dress,b2,0\nlamp,b1,1\nlamp,b9,\n"), SAME);
  const general =
    "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n" +
    'T,C,1,red dress,b1,1,"A, B",3\nT,C,1,red dress,b2,2,,0\nT,C,1,lamp,b1,1,x,1\nT,C,1,lamp,b9,2,x,\n';
  assert.equal(asObject("c.csv", general), SAME);
});

test("reads TREC qrels with tabs, blanks and negative grades", () => {
  assert.equal(asObject("f.qrels", "1 0 b1 2\n1\t0\tb2\t-1\r\n\n2  Q0 b1 1\n"), { 1: { b1: 2, b2: -1 }, 2: { b1: 1 } });
});

test("reports errors with file and line", () => {
  const message = (name: string, content: string) => {
    try {
      readJudgments(written(name, content));
      return "";
    } catch (error) {
      assert.instance(error, JudgmentsError);
      return (error as Error).message;
    }
  };
  assert.match(message("g.csv", "query,doc,grade\na,b,high\n"), /g\.csv: line 2: the grade "high" is not a number/);
  assert.match(message("h.csv", "query,item,grade\na,b,1\n"), /line 1: no column for the document: name it doc/);
  assert.match(message("i.qrels", "1 0 b1\n"), /line 1: a line of qrels is/);
  assert.match(message("j.json", '{"query": "a"}'), /line 1: neither a document with judgmentRatings/);
  assert.match(message("k.csv", "query,doc,grade\n"), /k\.csv has no judgments/);
  assert.match(message("l.csv", 'query,doc,grade\n"a,b,1\n'), /l\.csv: /);
});

const ROWS = [
  { query: "red dress", docId: "b1", rating: "3.000" },
  { query: "red dress", docId: "b2", rating: "0.000" },
  { query: "lamp", docId: "b1", rating: 1 },
];
const LISTS = ["red dress", "lamp"].map((query) => ({
  query,
  ratings: ROWS.filter((row) => row.query === query).map(({ docId, rating }) => ({ docId, rating })),
}));

test("reads tables in UTF-16 and UTF-8 with a mark, with commas, semicolons and tabs", () => {
  const tabs = TABLE.replaceAll(",", "\t");
  assert.equal(asObject("utf16.csv", Buffer.from(`\ufeff${tabs}`, "utf16le")), SAME);
  assert.equal(asObject("utf16be.csv", Buffer.from(`\ufeff${TABLE}`, "utf16le").swap16()), SAME);
  assert.equal(asObject("unmarked.csv", Buffer.from(TABLE, "utf16le")), SAME);
  assert.equal(asObject("mark.csv", `\ufeff${TABLE.replaceAll(",", ";")}`), SAME);
  assert.equal(asObject("tabs.tsv", tabs), SAME);
  assert.equal(asObject("tabs.txt", tabs), SAME);
  assert.equal(asObject("quoted.txt", '"query","doc","grade"\n"red dress",b1,3\n"red dress",b2,0\nlamp,b1,1\n'), SAME);
  assert.equal(asObject("inches.tsv", 'query\tdoc\tgrade\n12" lamp\tb1\t1\n'), { '12" lamp': { b1: 1 } });
  assert.equal(asObject("comma.csv", "query;doc;grade\nlamp;b1;0,5\n"), { lamp: { b1: 0.5 } });
});

test("reads JSON with a mark, as an array, and judgment lists in every form of the Search Relevance Workbench", () => {
  const list = { id: "1", name: "x", status: "COMPLETED", type: "LLM_JUDGMENT", metadata: {}, judgmentRatings: LISTS };
  const unrated = { query: "lamp", ratings: [], failures: [{ docId: "b9" }] };
  const failed = { ...list, judgmentRatings: [...LISTS, unrated] };
  const answer = {
    took: 1,
    hits: { total: { value: 1 }, hits: [{ _index: "search-relevance-judgment", _source: failed }] },
  };
  const byQuery = Object.fromEntries(LISTS.map(({ query, ratings }) => [query, ratings]));
  const early = Object.fromEntries(
    LISTS.map(({ query, ratings }) => [query, ratings.map(({ docId, rating }) => ({ docId, score: rating }))]),
  );
  const forms = [ROWS, LISTS, list, answer, { judgmentRatings: byQuery }, { judgmentScores: early }];
  for (const [index, form] of forms.entries()) {
    assert.equal(asObject(`form${index}.json`, `\ufeff${JSON.stringify(form)}`), SAME, `form ${index}`);
  }
  assert.equal(asObject("lines.json", ROWS.map((row) => JSON.stringify(row)).join("\n")), SAME);
  const ubi = written("ubi.json", JSON.stringify({ ...list, type: "UBI_JUDGMENT" }));
  assert.equal(new Set(readJudgmentsFile(ubi).rows.map(({ origin }) => origin)), new Set(["clicks"]));
});

test("names Latin-1 and the line, and says what to do", () => {
  const file = written("latin.csv", Buffer.from("query,doc,grade\nlamp,b1,1\ncafé,b1,1\n", "latin1"));
  assert.throws(() => readJudgments(file), /latin\.csv: line 3 is not UTF-8.*Latin-1.*iconv -f WINDOWS-1252 -t UTF-8/);
});

test("reads the origin and the index of each row, and takes neither a country nor a row number for one", () => {
  const read = (name: string, content: string) =>
    readJudgmentsFile(written(name, content)).rows.map(({ index, origin }) => [index, origin]);
  assert.equal(read("own.csv", "query,doc,grade,index,origin\na,b,1,books,clicks\na,c,1,,people\n"), [
    ["books", "clicks"],
    [undefined, "people"],
  ]);
  assert.equal(read("other.csv", "index,query,doc,grade,origin\n0,a,b,1,France\n"), [[undefined, "import"]]);
  assert.equal(read("console.csv", "query,doc,grade,who,when\na,b,1,ada,2026\n"), [[undefined, "people"]]);
  const rows = readJudgmentsFile(join(folder, "own.csv"));
  assert.is(judgmentsAbout(rows, "books").length, 2);
  assert.equal(
    judgmentsAbout(rows, "films").map(({ document }) => document),
    ["c"],
  );
  const films = readJudgmentsFile(written("films.csv", "query,doc,grade,index\na,b,1,films\n"));
  assert.throws(
    () => judgmentsAbout(films, "books"),
    /all judgments are about other indexes, films, and none about books/,
  );
});

test("doubts grades that are all 0, a scale below 1, mixed scales, and ids of topics without texts", () => {
  const doubts = (...grades: number[]) =>
    doubtsAbout(grades.map((grade) => ({ query: "a", document: "b", grade }))).join("\n");
  assert.match(doubts(0, 0), "No document has a grade above 0");
  assert.match(doubts(0.2, 0.9), "The grades go from 0 to 0.9, and mrr, precision");
  assert.match(doubts(0.2, 1), "The grades go from 0 to 1, and mrr, precision");
  assert.is(doubts(0, 1), "");
  assert.is(doubts(0, 0.5, 3), "");
  const clicks = { query: "a", document: "b", grade: 0.4, origin: "clicks" } as const;
  assert.equal(doubtsAbout([clicks]), []);
  assert.match(doubtsAbout([clicks, { ...clicks, origin: "people" }])[0] ?? "", "on different scales");
  const qrels = readJudgmentsFile(written("doubt.qrels", "1 0 b1 2\n"));
  assert.match(doubtAboutTexts(qrels, false)[0] ?? "", /searched for as if they were texts \("1"\): pass --queries/);
  assert.equal(doubtAboutTexts(qrels, true), []);
});

test("writes judgments that it reads back unchanged", () => {
  const rows = [
    { query: 'say "hello", world', document: "b,1", grade: 0.25 },
    { query: "two\nlines", document: "b2", grade: 3 },
  ];
  const again = asObject("m.csv", writeClicks(rows.map((row) => ({ ...row, impressions: 20, clicks: 1 }))));
  assert.equal(again, { 'say "hello", world': { "b,1": 0.25 }, "two\nlines": { b2: 3 } });
});

const FORMULAS = [
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  '=HYPERLINK("http://x","y")',
  "＝1",
  "'=1",
  "''@a",
  "'quoted'",
  "a=b",
];

test("writes no cell that a spreadsheet takes for a formula, and reads the text back unchanged", () => {
  const rows = FORMULAS.map((text, grade) => ({ query: text, document: text, grade: -grade }));
  const table = writeClicks(rows.map((row) => ({ ...row, impressions: 20, clicks: 1 })));
  for (const [index, line] of table.split("\n").slice(1, -1).entries()) {
    assert.not.match(line, /(^|,)"?[=+@＝]|^"?-/);
    assert.match(line, new RegExp(`,-?${index},,clicks,20,1$`));
  }
  assert.equal(
    asObject("formulas.csv", table),
    Object.fromEntries(FORMULAS.map((text, grade) => [text, { [text]: -grade }])),
  );
  assert.match(csv(["a"], [["\t=1"], ["\r=1"]]), /^a\n'\t=1\n"'\r=1"\n$/);
});

test("counts a person's grade before a language model's, in whatever order the rows are", () => {
  const rows = "query,doc,grade,origin\nlamp,b1,2,people\nlamp,b1,0,model\nlamp,b2,3,model\n";
  assert.equal(asObject("both.csv", rows), { lamp: { b1: 2, b2: 3 } });
});

test("reads queries that are their own ids, one on each line", () => {
  const topics = readTopics(written("texts.txt", "salt, road\r\n\n lamp \n"));
  assert.equal(
    [...topics].map(([id, { text }]) => [id, text]),
    [
      ["salt, road", "salt, road"],
      ["lamp", "lamp"],
    ],
  );
});

test("reads topics from lines with a tab and from CSV with users", () => {
  const topics = (name: string, text: string) =>
    [...readTopics(written(name, text))].map(([id, topic]) => [id, topic.text, topic.userId]);
  assert.equal(topics("t.tsv", '1\twing "flutter"\n2\tshock\n'), [
    ["1", 'wing "flutter"', undefined],
    ["2", "shock", undefined],
  ]);
  assert.equal(topics("t.csv", 'id,query,user_id\n1,"a, b",U1\n2,c,\n'), [
    ["1", "a, b", "U1"],
    ["2", "c", undefined],
  ]);
});

test.run();
