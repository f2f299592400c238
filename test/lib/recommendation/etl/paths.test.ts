import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { MAX_IMPRESSION } from "../../../../lib/personalize/limits.ts";
import { PLACED_FIELDS } from "../../../../lib/platform/contract/recommendation.ts";
import { parseJson } from "../../../../lib/platform/json/values.ts";
import { literal, literals } from "../../../../lib/platform/sql/database.ts";
import { eventColumns } from "../../../../lib/recommendation/etl/event-columns.ts";
import { sql, withEngine } from "../../../../lib/recommendation/etl/sql.ts";
import { transform } from "../../../../lib/recommendation/etl/transform.ts";
import { eventParser } from "../../../../lib/recommendation/records/event.ts";
import { type Definitions, eventLine } from "../../../../lib/recommendation/records/layout.ts";
import { customFields, trainedEvent } from "../../../../lib/recommendation/records/trained-event.ts";
import { suite } from "../../../suite.ts";
import { MemoryStore } from "./memory.ts";
import { DEFINITIONS, event, LIMITS } from "./run.ts";

const test = suite("paths of an event");

/** The sample's schema with columns of each type, a join and a rename. */
const definitions: Definitions = structuredClone(DEFINITIONS);
definitions.schemas.interaction.fields.push(
  { name: "DEVICE", type: ["null", "string"] },
  { name: "AGE", type: ["null", "int"] },
  { name: "SERIAL", type: ["null", "long"] },
  { name: "SCORE", type: ["null", "float"] },
  { name: "PLACE", type: ["null", "string"] },
);
definitions.etl.interaction.columns.push(
  { name: "APPLIANCE", type: "string", nullable: true, multiple: false },
  { name: "AGE", type: "int", nullable: true, multiple: false },
  { name: "SERIAL", type: "long", nullable: true, multiple: false },
  { name: "SCORE", type: "float", nullable: true, multiple: false },
  { name: "CITY", type: "string", nullable: true, multiple: false },
  { name: "STREET", type: "string", nullable: true, multiple: false },
);
definitions.etl.interaction.renames.push({ field: "DEVICE", column: "APPLIANCE" });
definitions.etl.interaction.joins.push({ field: "PLACE", columns: ["CITY", "STREET"], separator: ", " });

definitions.refuse = ["日本", " "];

const fields = ["__id", ...PLACED_FIELDS, ...customFields(definitions)];

/** Returns the row that the record parser makes of a line, or undefined. */
function parsedRow(line: string): (string | null)[] | undefined {
  const json = parseJson(line);
  const parsed = json === undefined ? undefined : eventParser(definitions, undefined, "ignore")(json);
  if (!parsed || "issues" in parsed) return undefined;
  const { userId, itemId, eventType, eventValue, timestamp, impression, values } = trainedEvent(definitions)(
    parsed.record,
  );
  const cells = [parsed.record.EVENT_ID, userId, itemId, eventType, eventValue, timestamp, impression, ...values];
  return cells.map((cell) => (cell === null ? null : String(cell)));
}

/** Returns the row that SQL makes of each line, or undefined where it leaves the line to the parser. */
function sqlRows(lines: readonly string[]): Promise<((string | null)[] | undefined)[]> {
  return withEngine(LIMITS, async (engine) => {
    const found = [];
    for (const [index, line] of lines.entries()) {
      // Each line has its own query, because one refused line refuses its object.
      const file = join(engine.folder, `${index}.json`);
      writeFileSync(file, `${line}\n`);
      const isPlain = /^[ -[\]-~]*$/.test(line);
      const query = sql("objects", {
        ...eventColumns(definitions, isPlain),
        first: 0,
        longest: 1_024_000,
        files: literals([file]),
      });
      const [row] = await engine.rows(query).catch(() => []);
      found.push(row && fields.map((name) => (row[name] === null ? null : String(row[name]))));
    }
    return found;
  });
}

const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("U1", "é", "日本", 'a "b"', "\\", "\\n", "x|y", "'; --", "", " ") },
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("\u007f", "\u0085", "a\nb", "a\tb", "\u0000", "x".repeat(256), "x".repeat(257), "é".repeat(200)),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(
    0,
    -0,
    0.1,
    12.5,
    1e21,
    1e-7,
    4e9,
    3_999_999_999,
    99_999_999_999,
    2 ** 31,
    2 ** 31 - 1,
    2 ** 53,
    123456.78901,
  ),
);
const anything = fc.oneof(text, number, fc.constantFrom(null, true, [], ["a", "b"], {}, ["a|b"], [1]));
const TEXTS = "EVENT_ID USER_ID ITEM_ID EVENT_TYPE SESSION_ID IMPRESSION RECOMMENDATION_ID APPLIANCE CITY STREET".split(
  " ",
);
const NUMBERS = ["TIMESTAMP", "EVENT_VALUE", "AGE", "SERIAL", "SCORE"];
/** A column and a value that fits it more often than not. */
const change = fc.oneof(
  fc.tuple(fc.constantFrom(...TEXTS), fc.oneof({ weight: 4, arbitrary: text }, anything)),
  fc.tuple(fc.constantFrom(...NUMBERS), fc.oneof({ weight: 4, arbitrary: number }, anything)),
);
const lines = fc
  .array(change, { maxLength: 3 })
  .map((changes) => JSON.stringify({ ...event("e1"), ...Object.fromEntries(changes) }));

const impressionOf = (items: number) => new Array(items).fill("B").join("|");

test("give equal records, whatever an event contains", async () => {
  const some = fc.sample(lines, { numRuns: 300, seed: 1 });
  const handmade = [
    JSON.stringify(event("e1")),
    '{"EVENT_ID":"e1","EVENT_ID":"e2","USER_ID":"U","ITEM_ID":"B","EVENT_TYPE":"t","TIMESTAMP":1}',
    JSON.stringify({ ...event("e1"), EVENT_VALUE: 1 }).replace(":1}", ":1.0}"),
    JSON.stringify({ ...event("e1"), SERIAL: 1 }).replace(":1}", ":9007199254740993}"),
    JSON.stringify({ ...event("e1"), SERIAL: 1 }).replace(":1}", ":-9223372036854775808}"),
    JSON.stringify(event("e1")).replace(":1740000000", ":1e00000009"),
    JSON.stringify(event("e1", { IMPRESSION: impressionOf(MAX_IMPRESSION.items) })),
    JSON.stringify(event("e1", { IMPRESSION: impressionOf(MAX_IMPRESSION.items + 1) })),
    JSON.stringify({ ...event("e1"), APPLIANCE: "x".repeat(999) }),
    "[]",
    "5",
    "null",
    "broken",
    '{"a":1}{"b":2}',
    '{"USER_ID":"\\ud800"}',
  ];
  const all = [...handmade, ...some];
  const rows = await sqlRows(all);
  for (const [index, row] of rows.entries()) if (row) assert.equal(row, parsedRow(all[index] ?? ""), all[index]);
  const accepted = rows.filter((row) => row !== undefined).length;
  assert.ok(accepted > rows.length / 6, `only ${accepted} of ${rows.length} lines were judged by SQL`);
});

test("handle an ordinary event in SQL, without the record parser", async () => {
  const ordinary = [
    event("0190b7a2-6c3e-7c5a-9f10-000000000001"),
    event("e1", { EVENT_VALUE: 12.5, IMPRESSION: "B1|B2", RECOMMENDATION_ID: "RID-1", SESSION_ID: "s" }),
    event("ümläut", { USER_ID: 'a "quoted" \\ id', APPLIANCE: "tv", AGE: 3, SERIAL: 4_000_000_000, SCORE: -0.25 }),
    event("e3", { CITY: "Oslo", STREET: "Storgata 1" }),
  ];
  const expected = ordinary.map((one) => parsedRow(JSON.stringify(one)));
  assert.equal(await sqlRows(ordinary.map((one) => JSON.stringify(one))), expected);
});

test("leave columns that differ only in case, which SQL cannot tell apart, to the parser", async () => {
  const definitions: Definitions = structuredClone(DEFINITIONS);
  definitions.schemas.interaction.fields.push({ name: "PLACE", type: ["null", "string"] });
  definitions.etl.interaction.columns.push({ name: "user_id", type: "string", nullable: true, multiple: false });
  definitions.etl.interaction.renames.push({ field: "PLACE", column: "user_id" });
  const store = new MemoryStore();
  store.objects.set("a", Buffer.from(eventLine({ ...event("e1"), user_id: "Oslo" })));
  const [row] = await withEngine(LIMITS, async (engine) => {
    const task = { task: "transform", run: "r", result: "d-0001.json" } as const;
    await transform({ ...task, objects: ["a"] }, store, definitions, engine);
    return engine.rows("FROM stored");
  });
  assert.equal([row?.USER_ID, row?.PLACE], ["U1", "Oslo"]);
});

test("write the same rows, whether or not another line forces the object off the fast path", async () => {
  const events = Array.from({ length: 50 }, (_, index) => event(`e${index}`, { EVENT_VALUE: index / 4 }));
  const rows = async (more: string) => {
    const store = new MemoryStore();
    store.objects.set("a", Buffer.from(events.map(eventLine).join("") + more));
    return withEngine(LIMITS, async (engine) => {
      const task = { task: "transform", run: "r", result: "d-0001.json", objects: ["a"] } as const;
      await transform({ ...task, objects: ["a"] }, store, DEFINITIONS, engine);
      const file = join(engine.folder, "written.parquet");
      writeFileSync(file, store.objects.get("d-0001-0000.parquet") ?? "");
      return engine.rows(`FROM read_parquet(${literal(file)}) ORDER BY __position`);
    });
  };
  assert.equal(await rows("broken\n"), await rows(""));
});

test.run();
