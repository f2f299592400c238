import * as assert from "uvu/assert";
import { shareText } from "../../../../lib/platform/share.ts";
import { constantsOf } from "../../../../lib/recommendation/schema/constants.ts";
import { suite } from "../../../suite.ts";
import { generate } from "./files.ts";

const test = suite("warnings of schema generation");

/** The warnings, with the names of files instead of their paths. */
const warningsOf = async (given: Parameters<typeof generate>[0]) =>
  (await generate(given)).warnings.map((warning) => warning.replaceAll(/\/\S*\//g, ""));

const EVENT = "USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP";

/** 1,000 items with prices, of which some are replaced. */
function priced(odd: Readonly<Record<number, string>>): string {
  const rows = Array.from({ length: 1_000 }, (_, index) => `B${index},${odd[index] ?? index / 100}\n`);
  return `ITEM_ID,PRICE\n${rows.join("")}`;
}

test("name the column, row, value and share where one value turns numbers into text", async () => {
  assert.equal(await warningsOf({ item: priced({ 777: "call us" }) }), [
    'items.csv:779  PRICE becomes text because of 1 of 1,000 values (0.10 %): the first is "call us". ' +
      "Write numbers without words, blanks and separators of thousands, or leave the cell empty; " +
      "--null 'call us' treats it as no value",
  ]);
});

test("name words for no value however many there are, and treat them as such if told", async () => {
  const item = "ITEM_ID,PRICE\nB1,NULL\nB2,NaN\nB3,3\n";
  const { missingWords, schemas } = await generate({ item });
  assert.equal([missingWords, schemas.item.fields.at(-1)?.type], [["NULL", "NaN"], "string"]);
  const told = await generate({ item, format: { no_value: ["NULL", "NaN"] } });
  assert.equal([told.missingWords, told.warnings], [[], []]);
  assert.equal(told.schemas.item.fields.at(-1)?.type, ["null", "int"]);
  const lines = '[{"ITEM_ID": "B1", "PRICE": "NULL"}, {"ITEM_ID": "B2", "PRICE": 2.5}]';
  const json = await generate({ item: ["items.json", lines], format: { no_value: ["NULL"] } });
  assert.equal(json.schemas.item.fields.at(-1)?.type, ["null", "float"]);
});

for (const odd of ["NULL", " 5 ", "1,234", "007", "1e400", "-3.5e38"]) {
  test(`name ${odd} as well`, async () => {
    const cell = odd.includes(",") ? JSON.stringify(odd) : odd;
    const [warning = ""] = await warningsOf({ item: priced({ 5: cell, 9: cell }) });
    assert.match(warning, "items.csv:7  PRICE becomes text because of 2 of 1,000 values (0.20 %)");
    assert.match(warning, `the first is ${JSON.stringify(odd)}`);
  });
}

test("write shares close to all as people do", () => {
  const texts = [299_880, 299_999, 300_000, 296_000].map((count) => shareText(count, 300_000, "rows"));
  assert.equal(
    texts.map((text) => /\((.*) %\)/.exec(text)?.[1]),
    ["99.96", "99.99", "100", "99"],
  );
});

test("are none for numbers, for texts of which some are numbers, for ids and for textual columns", async () => {
  assert.equal(await warningsOf({ item: priced({ 3: "" }) }), []);
  const half = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [index, `text ${index}`]));
  assert.equal(await warningsOf({ item: priced(half) }), []);
  const ids = Array.from({ length: 20 }, (_, index) => `${index || "B1"},${index || "A title"}\n`);
  assert.equal(await warningsOf({ item: `ITEM_ID,TITLE\n${ids.join("")}`, textualFields: ["TITLE"] }), []);
});

test("say that 12 event types beside three columns are more than Personalize takes", async () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => `u1,i1,t${index},1700000000,d,p${index},r\n`).join("");
  const header = "USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP,DEVICE,PAGE,REF\n";
  const known = { user: "USER_ID\nu1\n", item: "ITEM_ID\ni1\n" };
  assert.equal(await warningsOf({ ...known, interaction: header + rows(12) }), [
    "interactions.csv  has 12 event types: beside EVENT_TYPE, EVENT_VALUE, DEVICE, PAGE, REF, Personalize takes 5. " +
      "event_types of solution.yaml says which; all events are stored",
  ]);
  assert.equal(await warningsOf({ ...known, interaction: header + rows(5) }), []);
});

test("count events whose items and users the files lack, and say if ids were rewritten", async () => {
  const events = ["U1,012,view,1", "U1,B1,view,1", "U2,12,view,1", "U3,12,view,1", "U4,99,view,1"].join("\n");
  const given = { user: "USER_ID\nU1\nU2\n", item: "ITEM_ID\n012\nB1\n", interaction: `${EVENT}\n${events}\n` };
  assert.equal(await warningsOf(given), [
    'interactions.csv:4  3 of 5 events (60 %) name items that items.csv does not have, most often ITEM_ID "12": ' +
      "training learns from them, but the service never recommends an item that it does not know. " +
      '2 would match without leading zeros, blanks, capitals and ".0": did another program rewrite the ids?',
    'interactions.csv:5  2 of 5 events (40 %) name users that users.csv does not have, most often USER_ID "U3": ' +
      "training learns from them, but knows nothing else about these users",
  ]);
});

test("tell ids that repeat in a file, in a JSON array by their records", async () => {
  const items = '[{"ITEM_ID": "B1"}, {"ITEM_ID": "B2"}, {"ITEM_ID": "B1"}]';
  const interaction = `EVENT_ID,${EVENT}\ne1,U1,B1,view,1\ne1,U1,B1,view,2\n`;
  assert.equal(await warningsOf({ item: ["items.json", items], interaction }), [
    'items.json:1 (record 3)  repeats the ITEM_ID "B1" of items.json:1 (record 1): 1 row does so. The last row with an id counts',
    'interactions.csv:3  repeats the EVENT_ID "e1" of interactions.csv:2: 1 row does so. The first event with an id counts',
  ]);
});

const EVENTS: [what: string, row: string, rejection: string][] = [
  ["without a user and a session", ",B1,view,1,,", "USER_ID is missing: without it, an event needs a SESSION_ID"],
  [
    "of 2099",
    "U1,B1,view,4070908800,,",
    'TIMESTAMP must be whole seconds since 1970, got "4070908800", which is later than the year 2096',
  ],
  [
    "of 2090",
    "U1,B1,view,3786912000,,",
    'TIMESTAMP must be whole seconds since 1970, got "3786912000", which is later than tomorrow',
  ],
  ["before 1970", "U1,B1,view,-5,,", 'TIMESTAMP must be whole seconds since 1970, got "-5"'],
  ["with several items", "U1,B|1,view,1,,", 'ITEM_ID holds a "|", which separates the items of an IMPRESSION'],
  ...["\"['B1', 'B2']\"", '"B1, B2"', "B1 B2", "B1;B2", "(B1)"].map((list): [string, string, string] => [
    `with the IMPRESSION ${list}`,
    `U1,B1,view,1,,${list}`,
    'IMPRESSION must be a list of ITEM_IDs or a text like "a|b", got ',
  ]),
];
for (const [what, row, rejection] of EVENTS) {
  test(`leave an event ${what} out, and name it`, async () => {
    const interaction = `${EVENT},SESSION_ID,IMPRESSION\nU1,B1,view,1,,B1|B2\n${row}\n`;
    const { rows, schemas, warnings } = await generate({ interaction });
    const [warning = "", ...others] = warnings.map((line) => line.replaceAll(/\/\S*\//g, ""));
    assert.ok(warning.startsWith(`interactions.csv:3  ${rejection}`), warning);
    assert.ok(warning.endsWith(". The service rejects 1 of 2 rows (50 %)"), warning);
    assert.equal([others, rows.interaction], [[], 2]);
    assert.equal(schemas.interaction.fields.slice(0, 5).map(({ type }) => type)[4], "long");
  });
}

test("are none for an event of a visitor who is not known", async () => {
  const interaction = `${EVENT},SESSION_ID\n,B1,view,1,s1\nU1,B1,view,2,s1\n`;
  const { warnings, schemas } = await generate({ interaction });
  assert.equal([warnings, schemas.interaction.fields[0]?.type], [[], "string"]);
});

const SUSPECTS: [what: string, rows: string[], warnings: string[]][] = [
  [
    "words for no value",
    ["null,B1,view,1", "NaN,B1,NULL,2", " ,None,view,3"],
    [
      'interactions.csv:2  USER_ID is "null", which is a word for no value: so in 3 of 3 rows (100 %), lines 2, 3, 4',
      'interactions.csv:3  EVENT_TYPE is "NULL", which is a word for no value: so in 1 of 3 rows (33 %)',
      'interactions.csv:4  ITEM_ID is "None", which is a word for no value: so in 1 of 3 rows (33 %)',
    ],
  ],
  [
    "blanks around an id",
    ["U1 ,B1,view,1"],
    ['interactions.csv:2  USER_ID is "U1 ", which has blanks at its ends: so in 1 of 1 rows'],
  ],
  [
    "events without a time",
    ["U1,B1,view,1", "U1,B1,view,"],
    ["interactions.csv:3  has no TIMESTAMP: 1 of 2 rows (50 %) get"],
  ],
  [
    "equal events",
    ["U1,B1,view,1", "U1,B1,view,1", "U1,B1,view,1"],
    [
      "interactions.csv:3  equals interactions.csv:2: 2 of 3 events (67 %) equal an earlier one. Each counts as an event, 3 in all",
    ],
  ],
];
for (const [what, rows, expected] of SUSPECTS) {
  test(`name ${what}`, async () => {
    const known = { user: "USER_ID\nU1\n", item: "ITEM_ID\nB1\n" };
    const warnings = await warningsOf({ ...known, interaction: `${EVENT}\n${rows.join("\n")}\n` });
    const those = warnings.filter((line) => !line.includes("does not have"));
    for (const [index, line] of expected.entries()) assert.ok(those[index]?.startsWith(line), those[index]);
    assert.is(those.length, expected.length);
  });
}

const REJECTED: [what: string, item: string, warning: string][] = [
  ["an id over 256 characters", `${"x".repeat(257)},A`, "ITEM_ID has 257 characters, at most 256 are allowed"],
  ["a category over 1,000", `B3,${"x".repeat(1_001)}`, "CAT has 1001 characters, at most 1000 are allowed"],
  ["a NUL", "B3,a\0b", "CAT holds a control character"],
  ["a bar in an id", "B|3,A", 'ITEM_ID holds a "|", which separates the items of an IMPRESSION'],
];
for (const [what, row, warning] of REJECTED) {
  test(`name the row that the service rejects for ${what}`, async () => {
    const [first = "", ...others] = await warningsOf({ item: `ITEM_ID,CAT\nB1,A\n${row}\n` });
    assert.ok(first.startsWith(`items.csv:3  ${warning}. The service rejects 1 of 2 rows (50 %)`), first);
    assert.equal(others, []);
  });
}

test("count rows that are rejected for a column, whatever is wrong with it", async () => {
  const item = `ITEM_ID\n${"x".repeat(257)}\nB|3\nB1\n`;
  assert.equal(await warningsOf({ item }), [
    "items.csv:2  ITEM_ID has 257 characters, at most 256 are allowed. The service rejects 2 of 3 rows (67 %), lines 2, 3",
  ]);
});

test("are none for a long text of a textual column, which --textual-fields allows", async () => {
  const item = `ITEM_ID,TITLE\nB1,${"x".repeat(1_001)}\nB2,Two\n`;
  assert.match((await warningsOf({ item }))[0] ?? "", ". --textual-fields TITLE allows 20,000");
  assert.equal(await warningsOf({ item, textualFields: ["TITLE"] }), []);
});

test("name texts that a filter compares with and no row has", async () => {
  const constants = (expression: string) => constantsOf([{ name: "sale", expression }]);
  const item = "ITEM_ID,PROMOTED,TAGS\nB1,True,a|b\n";
  const PROMOTED = 'INCLUDE ItemID WHERE Items.promoted IN ("true") AND Items.TAGS IN ("b")';
  assert.equal(await warningsOf({ item, constants: constants(PROMOTED) }), [
    'filter.yaml: the filter sale compares promoted with "true", which no row has: did you mean "True"?',
  ]);
  const fits =
    'INCLUDE ItemID WHERE Items.PROMOTED IN ("True") AND Items.IS_ACTIVE IN ("True") IF CurrentUser.GENDER = "F"';
  assert.equal(await warningsOf({ item, constants: constants(fits) }), []);
});

test.run();
