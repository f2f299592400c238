import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { csv } from "../../judgments/csv.ts";
import { JudgmentsError, writeTable } from "../../judgments/judgments.ts";
import { readJudgments, readTopics } from "../../judgments/read.ts";

const test = suite("judgments files");
const folder = mkdtempSync(join(tmpdir(), "judgments-"));
test.after(() => rmSync(folder, { recursive: true }));

function written(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const asObject = (name: string, content: string) =>
  Object.fromEntries(
    Array.from(readJudgments(written(name, content)), ([q, grades]) => [q, Object.fromEntries(grades)]),
  );

const SAME = { "red dress": { b1: 3, b2: 0 }, lamp: { b1: 1 } };

test("reads CSV with query, doc and grade", () => {
  assert.equal(asObject("a.csv", "query,doc,grade\nred dress,b1,3\nred dress,b2,0\nlamp,b1,1\n"), SAME);
});

test("reads both exports of Quepid and skips documents without a rating", () => {
  assert.equal(asObject("b.csv", "query,docid,rating\nred dress,b1,3.0\nred dress,b2,0\nlamp,b1,1\nlamp,b9,\n"), SAME);
  const general =
    "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n" +
    'T,C,1,red dress,b1,1,"A, B",3\nT,C,1,red dress,b2,2,,0\nT,C,1,lamp,b1,1,x,1\nT,C,1,lamp,b9,2,x,\n';
  assert.equal(asObject("c.csv", general), SAME);
});

test("reads the judgment lists and the judgment lines of OpenSearch", () => {
  const list = [
    {
      query: "red dress",
      ratings: [
        { docId: "b1", rating: "3.000" },
        { docId: "b2", rating: "0.000" },
      ],
    },
    { query: "lamp", ratings: [{ docId: "b1", rating: 1 }] },
  ];
  assert.equal(asObject("d.json", JSON.stringify({ name: "x", judgmentRatings: list }, null, 2)), SAME);
  const lines = list.flatMap(({ query, ratings }) =>
    ratings.map(({ docId, rating }) => JSON.stringify({ query, document: docId, judgment: rating })),
  );
  assert.equal(asObject("e.ndjson", lines.join("\n")), SAME);
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

test("writes judgments that it reads back unchanged", () => {
  const rows = [
    { query: 'say "hello", world', document: "b,1", grade: 0.25 },
    { query: "two\nlines", document: "b2", grade: 3 },
  ];
  const again = asObject("m.csv", writeTable(rows));
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
  const table = writeTable(rows);
  for (const [index, line] of table.split("\n").slice(1, -1).entries()) {
    assert.not.match(line, /(^|,)"?[=+@＝]|^"?-/);
    assert.match(line, new RegExp(`,-?${index}$`));
  }
  assert.equal(
    asObject("formulas.csv", table),
    Object.fromEntries(FORMULAS.map((text, grade) => [text, { [text]: -grade }])),
  );
  assert.match(csv(["a"], [["\t=1"], ["\r=1"]]), /^a\n'\t=1\n"'\r=1"\n$/);
});

test("reads topics from lines with a tab and from CSV with users", () => {
  assert.equal(
    [...readTopics(written("t.tsv", '1\twing "flutter"\n2\tshock\n'))],
    [
      ["1", { text: 'wing "flutter"', userId: undefined }],
      ["2", { text: "shock", userId: undefined }],
    ],
  );
  assert.equal(
    [...readTopics(written("t.csv", 'id,query,user_id\n1,"a, b",U1\n2,c,\n'))],
    [
      ["1", { text: "a, b", userId: "U1" }],
      ["2", { text: "c", userId: undefined }],
    ],
  );
});

test.run();
