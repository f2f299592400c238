import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../suite.ts";
import { relevance } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance schema-generation");

const conf = mkdtempSync(join(tmpdir(), "conf-"));
test.after(() => rmSync(conf, { recursive: true }));

const SAMPLE = "test/fixtures/sample-data";
const files = ["--user", `${SAMPLE}/users.csv`, "--item", `${SAMPLE}/items.csv`];
const argsFor = (...more: string[]) => [
  ...["schema-generation", "--conf", conf, ...files, "--interaction", `${SAMPLE}/interactions.csv`, ...more],
];
const run = (...more: string[]) => runHere(argsFor(...more));

test("prints a table for each dataset and writes the four files", () => {
  const { out, err, code } = relevance(argsFor("--textual-fields", "TITLE"));
  assert.is(code, 0);
  assert.match(out, "items (test/fixtures/sample-data/items.csv, 6 rows)\n\n| Field         | Data type      |");
  assert.match(out, "| TEXTUAL_FIELD | null or string | X           | O       |");
  assert.match(err, `Written:\n  ${conf}/schema/user_schema.json\n`);
  assert.equal(readdirSync(join(conf, "schema")), ["interaction_schema.json", "item_schema.json", "user_schema.json"]);
  assert.is(JSON.parse(readFileSync(join(conf, "schema/user_schema.json"), "utf8")).name, "Users");
});

test("prints the same as JSON", async () => {
  const { out, err, code } = await run("--textual-fields", "TITLE", "--json");
  assert.equal([code, err], [0, ""]);
  assert.equal(Object.keys(JSON.parse(out)), ["schemas", "etl", "rows", "event_types", "written", "warnings"]);
});

test("takes several textual fields, with blanks after the commas", async () => {
  const { out } = await run("--textual-fields", "TITLE, AUTHOR", "--json");
  assert.equal(JSON.parse(out).etl.item.joins[0].columns, ["TITLE", "AUTHOR"]);
});

test("warns about event types that the configuration names but no event has", async () => {
  const filter = (name: string, type: string) =>
    `  - name: ${name}\n    expression: EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN (${type})\n`;
  writeFileSync(
    join(conf, "solution.yaml"),
    "recipes: { similar_items: { target_event_type: Purchase }, user_personalization: { target_event_type: view } }\n",
  );
  writeFileSync(
    join(conf, "filter.yaml"),
    `filters:\n${filter("rated", '"click", "view"')}${filter("seen", '"*"')}${filter("given", "$TYPE")}`,
  );
  const { out, err, code } = await run();
  assert.is(code, 0);
  assert.match(out, /\nEvent types: view \([\d,]+\), purchase \([\d,]+\)/);
  assert.equal(
    err.split("\n").filter((line) => /^Warning: \w+\.yaml/.test(line)),
    [
      'Warning: solution.yaml: recipes.similar_items.target_event_type names the event type "Purchase", which no event has: did you mean "purchase"?',
      'Warning: filter.yaml: the filter rated names the event type "click", which no event has',
    ],
  );
});

test("prints the command that treats words as no value", async () => {
  const items = join(conf, "odd items.csv");
  writeFileSync(items, "ITEM_ID,PRICE\nB1,NULL\nB2,2\nB3,3\n");
  const events = ["--interaction", `${SAMPLE}/interactions.csv`];
  const { err } = await runHere(["schema-generation", "--conf", conf, "--item", items, ...events]);
  assert.match(
    err,
    `Warning: to treat words as no value, run relevance schema-generation --conf ${conf} --item '${items}' --interaction ${SAMPLE}/interactions.csv --null NULL`,
  );
});

test("refuses a wrong textual field with exit code 2 and writes nothing", async () => {
  const before = readFileSync(join(conf, "etl/configure.json"), "utf8");
  const { err, code } = await run("--textual-fields", "TITEL");
  assert.is(code, 2);
  assert.match(err, 'the item file has no column "TITEL"; did you mean "TITLE"?');
  assert.is(readFileSync(join(conf, "etl/configure.json"), "utf8"), before);
});

test("fails with exit code 1 if nothing can be written", async () => {
  const { err, code } = await runHere([
    ...["schema-generation", "--conf", "/dev/null", ...files],
    ...["--interaction", `${SAMPLE}/interactions.csv`],
  ]);
  assert.is(code, 1);
  assert.match(err, "The schema files could not be written below /dev/null");
});

test.run();
