import { gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import { suite } from "../../../suite.ts";
import { type Given, problems } from "./files.ts";

const test = suite("problems of sample files");

const HEADER = "USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP\n";
const cases: Record<string, [Given, string[]]> = {
  "a missing column": [
    { user: "USERID,AGE\nU1,3\n" },
    ['users.csv  lacks the column "USER_ID", which the user file needs: is "USERID" meant?'],
  ],
  "a missing column without one like it": [
    { item: "ISBN\n1\n" },
    ['items.csv  lacks the column "ITEM_ID", which the item file needs; it has ISBN'],
  ],
  "a column that is in no object": [
    { user: ["users.json", '[{"AGE": 3}]'] },
    ['users.json  lacks the column "USER_ID", which the user file needs; it has AGE'],
  ],
  "a column twice": [
    { user: "USER_ID,AGE,AGE\nU1,3,3\n" },
    ['users.csv:1  the header has the column "AGE" twice: rename or remove one'],
  ],
  "a column without a name": [{ user: "USER_ID,\nU1,3\n" }, ["users.csv:1  column 2 of the header has no name"]],
  "a column named by a blank": [{ user: "USER_ID,  \nU1,3\n" }, ["users.csv:1  column 2 of the header has no name"]],
  "a name that Avro does not take": [
    { user: "USER_ID,page count\nU1,3\n" },
    [
      'users.csv  has the column "page count": a name is letters, digits and underscores, and does not start with a digit',
    ],
  ],
  "names that Personalize cannot tell apart": [
    { user: "USER_ID,HOME_TOWN,HOMETOWN\nU1,3,4\n" },
    ['users.csv  has the columns "HOME_TOWN" and "HOMETOWN", which Personalize takes for the same: rename one'],
  ],
  "names that Personalize cannot tell apart by case": [
    { user: "USER_ID,AGE,age\nU1,3,4\n" },
    ['users.csv  has the columns "AGE" and "age", which Personalize takes for the same: rename one'],
  ],
  "a name in mixed case, which Personalize would not find": [
    { item: "ITEM_ID,pictureURL\nB1,a\n" },
    [
      'items.csv  has the column "pictureURL": Personalize finds fields by camel-case names, which a name of upper or of lower case alone has: write PICTURE_URL, or give --rename pictureURL=PICTURE_URL',
    ],
  ],
  "more columns of its own than Personalize takes": [
    { interaction: `${HEADER.trim()},A,B,C,D,E,F\nU1,B1,view,1,1,1,1,1,1,1\n` },
    ["interactions.csv  has 6 columns of its own, Personalize takes at most 5: A, B, C, D, E, F"],
  ],
  "a column that the service makes itself": [
    { item: "ITEM_ID,TEXTUAL_FIELD\nB1,x\n" },
    ['items.csv  has the column "TEXTUAL_FIELD", which the service makes from the textual columns: rename it'],
  ],
  "a row with too few values": [
    { user: "USER_ID,AGE\nU1,3\n\nU2\n" },
    ["users.csv:4  has 1 values where the header has 2 columns: a value with a comma goes in double quotes"],
  ],
  "a row with too many values": [
    { user: "USER_ID,AGE\nU1,3,4\n" },
    ["users.csv:2  has 3 values where the header has 2 columns: a value with a comma goes in double quotes"],
  ],
  "a quote that is not closed": [
    { user: 'USER_ID,AGE\nU1,"3\n' },
    ["users.csv:2  a double quote is opened here and never closed"],
  ],
  "a quote in the wrong place": [
    { user: 'USER_ID,AGE\nU1,"3"4\n' },
    ['users.csv:2  a double quote is in the wrong place: inside a quoted value it is written twice, as ""'],
  ],
  "an empty file": [{ user: "" }, ["users.csv  is empty: it needs a header and at least one row"]],
  "a file of blanks": [{ user: "\ufeff \n" }, ["users.csv  is empty: it needs a header and at least one row"]],
  "a header alone": [
    { user: "USER_ID,AGE\n" },
    ["users.csv  has a header but no rows: types cannot be inferred without values"],
  ],
  "a time that is a date": [
    { interaction: `${HEADER}U1,B1,view,2024-06-01\n` },
    [
      'interactions.csv:2  TIMESTAMP must be whole seconds since 1970, got "2024-06-01", which looks like a date; for a file, give schema-generation --timestamp-format yyyy-MM-dd. The service rejects 1 of 1 rows (100 %)',
    ],
  ],
  "a time in milliseconds": [
    { interaction: `${HEADER}U1,B1,view,1717200000000\n` },
    [
      'interactions.csv:2  TIMESTAMP must be whole seconds since 1970, got "1717200000000", which looks like milliseconds; for a file, give schema-generation --timestamp-format x. The service rejects 1 of 1 rows (100 %)',
    ],
  ],
  "a value that is no number": [
    { interaction: `${HEADER.trim()},EVENT_VALUE\nU1,B1,view,1717200000,much\n` },
    ['interactions.csv:2  EVENT_VALUE must be a number, got "much". The service rejects 1 of 1 rows (100 %)'],
  ],
  "an IS_ACTIVE of another spelling": [
    { user: "USER_ID,IS_ACTIVE\nU1,yes\n" },
    ['users.csv:2  IS_ACTIVE must be "True" or "False", got "yes". The service rejects 1 of 1 rows (100 %)'],
  ],
  "JSON that breaks off": [
    { user: ["users.json", '[{"USER_ID": "U1"},\n{"USER_ID'] },
    ["users.json:2 (record 2)  ends in the middle of an object"],
  ],
  "an array that is not closed": [
    { user: ["users.json", '[{"USER_ID": "U1"}\n'] },
    ["users.json:2 (record 1)  ends before the array's closing bracket"],
  ],
  "a comma too many": [
    { user: ["users.json", '[{"USER_ID": "U1"},\n]'] },
    ['users.json:2 (record 1)  has "]" in the array where an object is expected'],
  ],
  "a comma too few": [
    { user: ["users.json", '[{"USER_ID": "U1"}\n{"USER_ID": "U2"}]'] },
    ['users.json:2 (record 1)  has "{" in the array where an object is expected'],
  ],
  "text after the array": [
    { user: ["users.json", '[{"USER_ID": "U1"}]\n{}'] },
    ['users.json:2 (record 1)  has "{" in the array where nothing may follow'],
  ],
  "with --strict, a row that the service rejects, by its record in an array on one line": [
    { user: ["users.json", '[{"USER_ID": "U1"}, {"USER_ID": "U2"}, {"USER_ID": ""}]'], strict: true },
    [
      "users.json:1 (record 3)  USER_ID is missing: the schema does not let it be empty. The service rejects 1 of 3 rows (33 %)",
    ],
  ],
  "a separator that it does not know": [
    { user: "USER_ID|AGE\nU1|3\n" },
    ["users.csv:1  the header has one column: give the text between values by --separator"],
  ],
  "a spreadsheet": [
    { user: Buffer.from("504b0304140006", "hex") },
    ["users.csv  is a ZIP archive or a spreadsheet: unpack it, or save it as CSV (UTF-8)"],
  ],
  "damaged gzip data": [
    { user: gzipSync("USER_ID,AGE\nU1,3\n").subarray(0, -9) },
    ["users.csv  is damaged: its gzip data ends too early"],
  ],
  "a value with the file's own separator": [
    { user: "USER_ID;AGE\nU1;3;4\n" },
    ["users.csv:2  has 3 values where the header has 2 columns: a value with a semicolon goes in double quotes"],
  ],
  "an object inside of a row": [
    { user: ["users.json", '{"USER_ID": "U1"}\n{"USER_ID": "U2", "HOME": {"CITY": "Ulm"}}'] },
    ["users.json:2  HOME is an object: a column holds text, a number or a list of them"],
  ],
  "an unknown textual column": [
    { textualFields: ["TITEL"] },
    ['--textual-fields: the item file has no column "TITEL"; did you mean "TITLE"?'],
  ],
  "an unknown textual column unlike any": [
    { textualFields: ["SYNOPSIS"] },
    ['--textual-fields: the item file has no column "SYNOPSIS"; choose from TITLE'],
  ],
  "a reserved textual column": [
    { textualFields: ["ITEM_ID"] },
    ['--textual-fields: "ITEM_ID" is reserved and cannot be textual; choose from TITLE'],
  ],
  "a textual column of the users": [
    { textualFields: ["GENDER"] },
    ['--textual-fields: "GENDER" is a column of the user file; Personalize reads text of items only'],
  ],
  "problems of all three files at once": [
    { user: "", item: "ISBN\n1\n", interaction: `${HEADER}U1,B1,view,x\n` },
    [
      "users.csv  is empty: it needs a header and at least one row",
      'items.csv  lacks the column "ITEM_ID", which the item file needs; it has ISBN',
      'interactions.csv:2  TIMESTAMP must be whole seconds since 1970, got "x". The service rejects 1 of 1 rows (100 %)',
    ],
  ],
};
for (const [what, [given, expected]] of Object.entries(cases)) {
  test(`names ${what}`, async () => assert.equal(await problems(given), expected));
}

const GOOD = Buffer.from(`USER_ID,NAME\n${"U1,ßäöü€\n".repeat(20_000)}`);
const BYTES: Readonly<Record<string, [user: Uint8Array, problem: string]>> = {
  "the first byte that is not UTF-8, with its line": [
    Buffer.from("USER_ID,NAME\nU1,Anna\nU2,Jürgen\n", "latin1"),
    "users.csv:3  is not UTF-8: byte 0xfc at offset 25 (line 3). Save it as UTF-8.",
  ],
  "that byte beyond the first chunk, after multi-byte characters": [
    Buffer.concat([GOOD, Buffer.from([0xe2, 0x28, 0x80])]),
    `byte 0xe2 at offset ${GOOD.length} (line 20002)`,
  ],
  "a truncated character at the end": [
    Buffer.from("USER_ID,NAME\nU1,€").subarray(0, -1),
    "users.csv:2  is not UTF-8: byte 0xe2 at offset 16 (line 2). Save it as UTF-8.",
  ],
  "UTF-16": [Buffer.from("\ufeffUSER_ID\nU1\n", "utf16le"), "it looks like UTF-16"],
};
for (const [what, [user, expected]] of Object.entries(BYTES)) {
  test(`names ${what}`, async () => {
    const [problem = "", ...others] = await problems({ user });
    assert.match(problem, expected);
    assert.equal(others, []);
  });
}

test("names a missing file", async () => {
  const { generateSchemas } = await import("../../../../lib/recommendation/schema/generate.ts");
  const files = { user: "no/such.csv", item: "no/such.csv", interaction: "no/such.csv", textualFields: [] };
  await generateSchemas(files).then(
    () => assert.unreachable(),
    (error) => assert.is(error.problems[0], "no/such.csv  there is no such file"),
  );
});

test.run();
