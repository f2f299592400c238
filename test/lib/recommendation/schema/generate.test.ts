import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import { DATASETS } from "../../../../lib/platform/contract/recommendation.ts";
import { generateSchemas } from "../../../../lib/recommendation/schema/generate.ts";
import { schemaTable } from "../../../../lib/recommendation/schema/write.ts";
import { AvroSchema } from "../../../../lib/settings/avro.ts";
import { type EtlDataset, EtlSchema } from "../../../../lib/settings/etl.ts";
import { validate } from "../../../../lib/settings/validate.ts";
import { suite } from "../../../suite.ts";
import { generate } from "./files.ts";

const test = suite("schema generation");

const folder = new URL("../../../fixtures/sample-data/", import.meta.url).pathname;
const sample = () =>
  generateSchemas({
    user: `${folder}users.csv`,
    item: `${folder}items.csv`,
    interaction: `${folder}interactions.csv`,
    textualFields: ["TITLE"],
  });

test("returns the specification's table of users for its sample", async () => {
  const { schemas } = await sample();
  assert.is(
    schemaTable(schemas.user),
    `
| Field         | Data type | Categorical | Textual |
|---------------|-----------|-------------|---------|
| IS_ACTIVE     | string    | X           | X       |
| USER_ID       | string    | X           | X       |
| GENDER        | string    | O           | X       |
| AGE           | int       | X           | X       |
| LOCATION      | int       | X           | X       |
| MEMBERSHIP_ID | string    | X           | X       |`.trim(),
  );
});

test("returns the specification's table of items, missing titles included", async () => {
  const { schemas } = await sample();
  assert.is(
    schemaTable(schemas.item),
    `
| Field         | Data type      | Categorical | Textual |
|---------------|----------------|-------------|---------|
| IS_ACTIVE     | string         | X           | X       |
| TEXTUAL_FIELD | null or string | X           | O       |
| ITEM_ID       | string         | X           | X       |
| AUTHOR        | string         | O           | X       |
| CATEGORIES    | string         | O           | X       |`.trim(),
  );
});

test("returns the specification's table of interactions, without an IMPRESSION column in the file", async () => {
  const { schemas } = await sample();
  assert.is(
    schemaTable(schemas.interaction),
    `
| Field       | Data type      | Categorical | Textual |
|-------------|----------------|-------------|---------|
| USER_ID     | string         | X           | X       |
| ITEM_ID     | string         | X           | X       |
| EVENT_TYPE  | string         | X           | X       |
| EVENT_VALUE | float or null  | X           | X       |
| TIMESTAMP   | long           | X           | X       |
| IMPRESSION  | string or null | X           | X       |`.trim(),
  );
});

test("writes files that the configuration's own schemas accept", async () => {
  const { schemas, etl } = await sample();
  assert.equal(validate(EtlSchema, etl).findings, []);
  for (const dataset of DATASETS) assert.equal(validate(AvroSchema(dataset), schemas[dataset]).findings, []);
});

test("records the textual columns as a join", async () => {
  const { etl } = await generate({
    item: "ITEM_ID,TITLE,BLURB\nB1,One,Text\nB2,Two,Text\n",
    textualFields: ["BLURB", "TITLE"],
  });
  assert.equal(etl.item.joins, [{ field: "TEXTUAL_FIELD", columns: ["BLURB", "TITLE"], separator: " " }]);
});

test("has no TEXTUAL_FIELD without a textual column", async () => {
  const { schemas } = await generate({});
  assert.equal(
    schemas.item.fields.map(({ name }) => name),
    ["IS_ACTIVE", "ITEM_ID", "TITLE"],
  );
});

test("accepts IMPRESSION and EVENT_VALUE of events though the file has neither", async () => {
  const { etl } = await generate({});
  const columns = etl.interaction.columns.filter(({ name }) => /IMPRESSION|EVENT_VALUE/.test(name));
  assert.equal(columns, [
    { name: "EVENT_VALUE", type: "float", nullable: true, multiple: false },
    { name: "IMPRESSION", type: "string", nullable: true, multiple: true },
  ]);
});

test("lets EVENT_VALUE and texts be missing later, though each row of the sample has them", async () => {
  const { etl } = await generate({
    item: "ITEM_ID,TITLE,SHELF\nB1,One,a\nB2,Two,b\n",
    interaction: "USER_ID,ITEM_ID,EVENT_TYPE,EVENT_VALUE,TIMESTAMP\nU1,B1,buy,9.5,1717200000\n",
    textualFields: ["TITLE"],
  });
  const nullable = ({ columns }: EtlDataset) => columns.flatMap((one) => (one.nullable ? [one.name] : []));
  assert.equal(nullable(etl.interaction), ["EVENT_VALUE", "IMPRESSION"]);
  assert.equal(nullable(etl.item), ["TITLE"]);
});

test("keeps the order of fields whatever the order of columns", async () => {
  const { schemas } = await generate({
    interaction: "DEVICE,TIMESTAMP,ITEM_ID,USER_ID,EVENT_TYPE\nphone,1717200000,B1,U1,view\n",
  });
  assert.equal(
    schemas.interaction.fields.map(({ name }) => name),
    ["USER_ID", "ITEM_ID", "EVENT_TYPE", "EVENT_VALUE", "TIMESTAMP", "IMPRESSION", "DEVICE"],
  );
});

test("leaves fields of an event that are not part of its record out of the schema", async () => {
  const { schemas } = await generate({
    interaction: "EVENT_ID,SESSION_ID,USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP\ne1,s1,U1,B1,view,1717200000\n",
  });
  assert.not(schemas.interaction.fields.some(({ name }) => /EVENT_ID|SESSION_ID/.test(name)));
});

const TYPES: [values: string, type: unknown][] = [
  ["1,2147483647", "int"],
  ["-5,2147483648", "long"],
  ["-2147483648,1", "long"],
  ["-9223372036854775808,1", "string"],
  ["1e400,1", "string"],
  ["3.5e38,1", "string"],
  ["3.4e38,1", "float"],
  ["1,99999999999999999999", "string"],
  ["1,2.5", "float"],
  ["1e3,-0.5", "float"],
  ["10115,01067", "string"],
  ["1,x", "string"],
  ["1,", ["null", "int"]],
  [",", ["null", "string"]],
];
for (const [values, type] of TYPES) {
  test(`takes ${values || "no value"} for ${JSON.stringify(type)}`, async () => {
    const [one, two] = values.split(",");
    const { schemas } = await generate({ user: `USER_ID,C\nU1,${one}\nU2,${two}\n` });
    assert.equal(schemas.user.fields.at(-1)?.type, type);
  });
}

const FLAGS: [values: string[], categorical: boolean][] = [
  [["a", "a", "b", "b"], true],
  [["a", "a", "b", "c"], false],
  [["a", "b", "c", "d"], false],
  [["a|b", "b", "c", "d"], true],
  [["a", "b", "", ""], false],
  [["1", "1", "1", "1"], false],
];
for (const [values, categorical] of FLAGS) {
  test(`takes ${values.join(",")} ${categorical ? "" : "not "}for categories`, async () => {
    const rows = values.map((value, index) => `U${index},${value}\n`).join("");
    const { schemas } = await generate({ user: `USER_ID,C\n${rows}` });
    assert.is(schemas.user.fields.at(-1)?.categorical ?? false, categorical);
  });
}

test("flags neither ids nor IS_ACTIVE nor EVENT_TYPE, however often they repeat", async () => {
  const { schemas } = await generate({
    user: "USER_ID,IS_ACTIVE,GENDER\nU1,True,F\nU1,True,F\n",
    interaction: "USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP\nU1,B1,view,1717200000\nU1,B1,view,1717200000\n",
  });
  const flagged = [...schemas.user.fields, ...schemas.interaction.fields].filter(({ categorical }) => categorical);
  assert.equal(
    flagged.map(({ name }) => name),
    ["GENDER"],
  );
});

test("reads ids as text even when they look like numbers", async () => {
  const { schemas } = await generate({ user: "USER_ID,AGE\n1,30\n2,31\n" });
  assert.is(schemas.user.fields.find(({ name }) => name === "USER_ID")?.type, "string");
});

const OBJECTS = [
  { USER_ID: "U1", AGE: 30, TAGS: ["a", "b"], VIP: true },
  { USER_ID: 'U"2}', AGE: null, NOTE: "}{[\\" },
];
const asJson: Record<string, string> = {
  "an array": JSON.stringify(OBJECTS),
  "a printed array": `\ufeff  ${JSON.stringify(OBJECTS, null, 2)}\n`,
  lines: OBJECTS.map((object) => `${JSON.stringify(object)}\n`).join(""),
};
for (const [kind, text] of Object.entries(asJson)) {
  test(`reads JSON written as ${kind}`, async () => {
    const { schemas, rows } = await generate({ user: ["users.json", text] });
    assert.is(rows.user, 2);
    assert.equal(schemas.user.fields, [
      { name: "IS_ACTIVE", type: "string" },
      { name: "USER_ID", type: "string" },
      { name: "AGE", type: ["null", "int"] },
      { name: "TAGS", type: ["null", "string"], categorical: true },
      { name: "VIP", type: ["null", "string"] },
      { name: "NOTE", type: ["null", "string"] },
    ]);
  });
}

const TABLES: Record<string, string | Uint8Array> = {
  gzip: gzipSync("USER_ID,TOWN,AGE\nU1,Ulm,3\nU2,,4\n"),
  semicolons: 'USER_ID;TOWN;AGE\r\nU1;"Ulm, a; b";3\r\nU2;;4\r\n',
  tabs: "\ufeffUSER_ID\tTOWN\tAGE\nU1\tUlm, Neu\t3\nU2\t\t4\n",
  "tabs between quotes": '\n"USER_ID"\t"TOWN"\t"AGE"\n"U1"\t"Ulm"\t"3"\n"U2"\t""\t"4"\n',
};
for (const [what, user] of Object.entries(TABLES)) {
  test(`reads ${what}`, async () => {
    const { schemas, rows } = await generate({ user });
    assert.equal(
      [rows.user, ...schemas.user.fields.map(({ name, type }) => [name, type])],
      [2, ["IS_ACTIVE", "string"], ["USER_ID", "string"], ["TOWN", ["null", "string"]], ["AGE", "int"]],
    );
  });
}

test("reads a pipe, and needs neither users nor items", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "pipe-"));
  const pipe = join(scratch, "events");
  execFileSync("mkfifo", [pipe]);
  const writer = spawn("sh", ["-c", `cat '${folder}interactions.csv' > '${pipe}'`], { stdio: "ignore" });
  const written = once(writer, "exit");
  const { schemas, rows, warnings } = await generateSchemas({ interaction: pipe, textualFields: [] });
  await written;
  rmSync(scratch, { recursive: true });
  assert.equal([rows.user, rows.item, rows.interaction > 0], [0, 0, true]);
  assert.match(warnings.join("\n"), "events:4  equals ");
  assert.equal(
    [schemas.user, schemas.item].map(({ fields }) => fields.map(({ name }) => name)),
    [
      ["IS_ACTIVE", "USER_ID"],
      ["IS_ACTIVE", "ITEM_ID"],
    ],
  );
});

test.run();
