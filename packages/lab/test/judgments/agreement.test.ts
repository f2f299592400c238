import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { agreementOf, agreementText } from "../../judgments/agreement.ts";
import { alphaOf, measured, WEIGHTED_KAPPA } from "../../judgments/agreement-measures.ts";
import { type Judgment, judgmentsOf } from "../../judgments/judgments.ts";
import { judgmentsIn, readCells } from "../../judgments/table.ts";

const test = suite("raters with names");

const by = (rater: string, grade: number, document = "b1", query = "salt"): Judgment => ({
  ...{ query, document, grade, rater, origin: "people" },
});
const gradeOf = (...rows: Judgment[]) => judgmentsOf(rows).get("salt")?.get("b1");
const unnamed = (grade: number, origin: Judgment["origin"] = "import"): Judgment => ({
  ...{ query: "salt", document: "b1", grade, origin },
});

test("takes the median of raters, the lower of the two in the middle, and of one rater the latest grade", () => {
  assert.is(gradeOf(by("Ada", 3), by("Ben", 0)), 0);
  assert.is(gradeOf(by("Ada", 3), by("Ben", 0), by("Cem", 2)), 2);
  assert.is(gradeOf(by("Ada", 3), by("Ada", 1), by("Ben", 2), by("Cem", 1)), 1);
});

test("follows whoever decided, then raters, then rows without a name, then a model, in any order", () => {
  const decided = { ...unnamed(2, "people"), adjudicated: "Dora" };
  const rows = [decided, by("Ada", 3), by("Ben", 0), unnamed(1), unnamed(3, "model")];
  assert.is(gradeOf(...rows), 2);
  assert.is(gradeOf(...rows.toReversed()), 2);
  assert.is(gradeOf(...rows.slice(1)), 0);
  assert.is(gradeOf(...rows.slice(3)), 1);
  assert.is(gradeOf(...rows.slice(4)), 3);
  assert.is(gradeOf(unnamed(1), unnamed(2, "clicks")), 2);
});

test("reads the names of a table, and a file without them as before", () => {
  const text = "query,doc,grade,rater,adjudicated\nsalt,b1,3,Ada,\nsalt,b1,0,,Dora\nsalt,b1,1,,\n";
  assert.equal(Array.from(judgmentsIn(readCells(text))), [
    { ...unnamed(3, "people"), index: undefined, rater: "Ada" },
    { ...unnamed(0, "people"), index: undefined, adjudicated: "Dora" },
    { ...unnamed(1), index: undefined },
  ]);
});

/** Ratings of four observers. Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011, section C. */
const EXAMPLE = Array.from({ length: 12 }, (_, unit) =>
  ["1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 ."].flatMap(
    (row) => {
      const cell = row.split(" ")[unit];
      return cell === "." ? [] : [Number(cell)];
    },
  ),
).filter((unit) => unit.length > 1);

test("computes the alpha of Krippendorff's own example", () => {
  const { value = 0 } = measured(alphaOf([1, 2, 3, 4, 5]), [EXAMPLE]);
  assert.is(value.toFixed(3), "0.815");
});

test("computes weighted kappa, and knows no agreement by chance where all grades are one", () => {
  // Rows and columns of the table 2, 1 / 1, 2 of grades 0 and 1.
  const units = ["00", "00", "01", "10", "11", "11"].map((grades) => [...grades].map(Number));
  assert.is(measured(WEIGHTED_KAPPA, [units]).value?.toFixed(4), "0.3333");
  const same = Array.from({ length: 2 }, () => [2, 2]);
  for (const measure of [WEIGHTED_KAPPA, alphaOf([2])]) assert.is(measured(measure, [same]).value, undefined);
});

test("says how far two agree by kappa and more by alpha, with an interval from ten queries", () => {
  const rows = Array.from({ length: 12 }, (_, query) =>
    [0, 1, 2, 3].flatMap((grade) => {
      const differs = (query + grade) % 5 === 0 ? 1 : 0;
      return [
        by("Ada", grade, `b${grade}`, `q${query}`),
        by("Ben", Math.abs(grade - differs), `b${grade}`, `q${query}`),
      ];
    }),
  ).flat();
  const two = agreementOf(rows);
  assert.ok(two?.interval && two.value !== undefined);
  assert.is(two.measure, "weighted kappa");
  assert.ok(two.interval.low < two.value && two.value < two.interval.high && two.interval.high < 1);
  assert.match(
    agreementText(two),
    /^Weighted kappa 0\.\d\d \(95 %: 0\.\d\d to 0\.\d\d\), on 48 documents of 12 queries/,
  );
  // A decision changes no grade, and is not measured again.
  assert.is(agreementOf([...rows, { ...by("", 2, "b1", "q0"), adjudicated: "Dora" }])?.interval, two.interval);
  const three = agreementOf([...rows, by("Cem", 2, "b2", "q0"), { ...unnamed(1), adjudicated: "Dora" }]);
  assert.is(three?.measure, "Krippendorff's alpha");
  assert.equal(three?.raters, { Ada: 48, Ben: 48, Cem: 1 });
  assert.is(agreementOf(rows.filter(({ query }) => query < "q5"))?.interval, undefined);
  assert.is(agreementOf(rows.filter(({ rater }) => rater === "Ada")), undefined);
});

test("lists what raters disagree about: open before decided, wide before narrow", () => {
  const pair = (document: string, ada: number, ben: number) => [by("Ada", ada, document), by("Ben", ben, document)];
  const found = agreementOf([
    ...[...pair("decided", 0, 3), ...pair("near", 1, 2), ...pair("far", 3, 1), ...pair("same", 2, 2)],
    { ...by("", 2, "decided"), adjudicated: "Dora" },
  ]);
  const listed = found?.disagreements.map(({ document, adjudicated }) => `${document} ${adjudicated?.by}`);
  assert.equal(listed, ["far undefined", "near undefined", "decided Dora"]);
});

test.run();
