import * as assert from "uvu/assert";
import { constantsOf } from "../../../../lib/recommendation/schema/constants.ts";
import { placeOf, recordOf, type Value } from "../../../../lib/recommendation/schema/row.ts";
import { suite } from "../../../suite.ts";

const test = suite("rows of sample files");

test("a record has the values as they are written, without missing ones", () => {
  const values = new Map<string, Value>([
    ["ITEM_ID", "b1"],
    ["YEAR", 2008],
    ["TITLE", undefined],
  ]);
  assert.equal(recordOf({ line: 2, values }), { ITEM_ID: "b1", YEAR: 2008 });
  assert.equal(recordOf({ line: 2, values, written: new Map([["YEAR", "2008.0"]]) }), {
    ITEM_ID: "b1",
    YEAR: "2008.0",
  });
});

test("a row is named by its line, and in an array by its record", () => {
  assert.equal(
    [placeOf("items.csv", { line: 7 }), placeOf("items.json", { line: 1, record: 812 })],
    ["items.csv:7", "items.json:1 (record 812)"],
  );
});

for (const [values, has] of [
  [[], "it has none"],
  [["red|green"], 'it has "red", "green"'],
  [Array.from({ length: 30 }, (_, at) => `word${at}`), /^it has "word0", .*, …$/],
] as const) {
  test(`a constant that is far from all ${values.length} values is shown some of them`, () => {
    const constants = constantsOf([{ name: "sale", expression: 'INCLUDE ItemID WHERE Items.COLOR IN ("turquoise")' }]);
    for (const value of values) constants.see("item", "COLOR", value);
    const [line = ""] = constants.absent(["item"]);
    assert.match(line, "which no row has: ");
    assert.match(line.split("which no row has: ")[1] ?? "", has);
  });
}

test.run();
