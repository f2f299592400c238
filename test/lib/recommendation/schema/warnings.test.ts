import * as assert from "uvu/assert";
import { suite } from "../../../suite.ts";
import { generate } from "./files.ts";

const test = suite("warnings of schema generation");

const warningsOf = async (given: Parameters<typeof generate>[0]) =>
  (await generate(given)).warnings.map((warning) => warning.replace(/^.*\//, ""));

/** 1,000 items with prices, of which some are replaced. */
function priced(odd: Readonly<Record<number, string>>): string {
  const rows = Array.from({ length: 1_000 }, (_, index) => `B${index},${odd[index] ?? index / 100}\n`);
  return `ITEM_ID,PRICE\n${rows.join("")}`;
}

test("name the column, row, value and share where one value turns numbers into text", async () => {
  assert.equal(await warningsOf({ item: priced({ 777: "call us" }) }), [
    'items.csv:779  PRICE becomes text because of 1 of 1,000 values (0.10 %): the first is "call us". ' +
      "Write numbers without words, blanks and separators of thousands, or leave the cell empty",
  ]);
});

for (const odd of ["NULL", " 5 ", '"1,234"', "007"]) {
  test(`name ${odd} as well`, async () => {
    const [warning = ""] = await warningsOf({ item: priced({ 5: odd, 9: odd }) });
    assert.match(warning, "items.csv:7  PRICE becomes text because of 2 of 1,000 values (0.20 %)");
  });
}

test("are none for numbers, for texts of which some are numbers, for ids and for textual columns", async () => {
  assert.equal(await warningsOf({ item: priced({ 3: "" }) }), []);
  const half = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [index, `text ${index}`]));
  assert.equal(await warningsOf({ item: priced(half) }), []);
  const ids = Array.from({ length: 20 }, (_, index) => `${index || "first"},${index || "A title"}\n`);
  assert.equal(await warningsOf({ item: `ITEM_ID,TITLE\n${ids.join("")}`, textualFields: ["TITLE"] }), []);
});

test("say that 12 event types beside three columns are more than Personalize takes", async () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => `u1,i1,t${index},1700000000,d,p${index},r\n`).join("");
  const header = "USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP,DEVICE,PAGE,REF\n";
  assert.equal(await warningsOf({ interaction: header + rows(12) }), [
    "interactions.csv  has 12 event types: beside EVENT_TYPE, EVENT_VALUE, DEVICE, PAGE, REF, Personalize takes 5. " +
      "event_types of solution.yaml says which; all events are stored",
  ]);
  assert.equal(await warningsOf({ interaction: header + rows(5) }), []);
});

test.run();
