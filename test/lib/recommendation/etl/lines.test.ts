import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import { copyText } from "../../../../lib/recommendation/etl/copy-text.ts";
import { withEngine } from "../../../../lib/recommendation/etl/sql.ts";
import { transform } from "../../../../lib/recommendation/etl/transform.ts";
import { eventLine } from "../../../../lib/recommendation/records/layout.ts";
import { suite } from "../../../suite.ts";
import { MemoryStore } from "./memory.ts";
import { DEFINITIONS, event, LIMITS } from "./run.ts";

const test = suite("lines of an object");

const one = eventLine(event("one"));
const two = eventLine(event("zwölf €"));

/** The number of rows that are read, and `line: reason` for each reject. */
async function read(bytes: Uint8Array): Promise<[rows: number, rejects: string[]]> {
  const store = new MemoryStore();
  store.objects.set("a", Buffer.from(bytes));
  const { rows } = await withEngine(LIMITS, (engine) =>
    transform({ task: "transform", run: "r", result: "d-0001.json", objects: ["a"] }, store, DEFINITIONS, engine),
  );
  const lines = store.text("d-0001.rejects.jsonl").split("\n").filter(Boolean);
  return [rows, lines.map((line) => JSON.parse(line)).map(({ line, reason }) => `${line}: ${reason}`)];
}

const TEXT = `${one}\n${two}${one.trimEnd()}`;
const cut = Buffer.from(TEXT).indexOf("€") + 1;
const forms: Record<string, Uint8Array> = {
  "plain text": Buffer.from(TEXT),
  "text that ends with a line feed": Buffer.from(`${TEXT}\n`),
  "text whose lines end with carriage returns": Buffer.from(TEXT.replaceAll("\n", "\r\n")),
  gzip: gzipSync(TEXT),
  "gzip of several members": Buffer.concat([
    gzipSync(Buffer.from(TEXT).subarray(0, cut)),
    gzipSync(Buffer.from(TEXT).subarray(cut)),
  ]),
};
for (const [form, bytes] of Object.entries(forms)) {
  test(`are read from ${form}`, async () => assert.equal(await read(bytes), [3, []]));
}

for (const [form, end] of Object.entries({ "line feeds": "\n", "carriage returns": "\r\n" })) {
  test(`have their numbers, counting empty lines, with ${form}`, async () => {
    const lines = [one.trimEnd(), "", "broken", "", "", "{}", one.trimEnd()].join(end);
    const [rows, rejects] = await read(Buffer.from(lines));
    assert.equal([rows, rejects.map((reject) => reject.slice(0, 14))], [2, ["3: is not JSON", "6: EVENT_ID is"]]);
  });
}

test("do not exist in an empty object", async () => {
  assert.equal(await read(Buffer.alloc(0)), [0, []]);
});

const session = (index: number) => createHash("sha512").update(String(index)).digest("hex");
const long = Array.from({ length: 5_000 }, (_, index) =>
  eventLine(event(`line ${index}`, { SESSION_ID: session(index) })),
);
const zipped = gzipSync(long.join(""));
const wrong = Buffer.from(zipped);
wrong[zipped.length - 8] = ~(wrong[zipped.length - 8] ?? 0);
const END = "unexpected end of file";
const damaged: Record<string, [bytes: Uint8Array, problem: string]> = {
  ...Object.fromEntries(
    // Each cut leaves another part of a line, mostly within the session, which takes most of the bytes.
    [0.5, 0.6, 0.7, 0.8].map((part) => [`cut at ${part}`, [zipped.subarray(0, zipped.length * part), END]]),
  ),
  "without the checksum": [zipped.subarray(0, -8), END],
  "with a wrong checksum": [wrong, "incorrect data check"],
};
for (const [damage, [bytes, problem]] of Object.entries(damaged)) {
  test(`before damaged gzip data are read, and the damage is reported: ${damage}`, async () => {
    const [rows, rejects] = await read(bytes);
    assert.ok(rows > 1_000, `${rows}`);
    assert.equal(rejects, [`${rows + 1}: gzip data is damaged: ${problem}`]);
  });
}

test("that are not UTF-8 are reported, and the others are read", async () => {
  const bad = (start: string) => Buffer.concat([Buffer.from(start), Buffer.from([0xff, 0x0a])]);
  const bytes = Buffer.concat([
    Buffer.from(one),
    bad("x"),
    bad('{"EVENT_ID":"'),
    Buffer.from(`\nbroken\n${two}`),
    bad(""),
    Buffer.from("broken\n"),
    Buffer.from([0xe2]),
  ]);
  const [rows, rejects] = await read(bytes);
  assert.is(rows, 2);
  assert.equal(rejects.sort(), [
    "2: is not UTF-8",
    "3: is not UTF-8",
    "5: is not JSON",
    "7: is not UTF-8",
    "8: is not JSON",
    "9: is not UTF-8",
  ]);
});

for (const control of ["\u007f", "\u0085"]) {
  test(`with the control character ${control.charCodeAt(0)} in an id are rejected`, async () => {
    const bytes = Buffer.from(`${one}${eventLine(event(control))}`);
    assert.equal(await read(bytes), [1, ["2: EVENT_ID holds a control character"]]);
  });
}

test("that are too long are reported and not kept", async () => {
  const long = Buffer.from(`${one}${"x".repeat(3_000_000)}\n${two}`);
  assert.equal(await read(long), [2, ["2: is longer than 1024000 bytes"]]);
});

test("that are too long at the end are reported", async () => {
  assert.equal(await read(Buffer.from(`${one}${"x".repeat(3_000_000)}`)), [1, ["2: is longer than 1024000 bytes"]]);
});

test("that are far too long are not copied completely, and lose no other line", async () => {
  const store = new MemoryStore();
  store.objects.set("a", gzipSync(`${one}${"x".repeat(50_000_000)}\n${two}`));
  await withEngine(LIMITS, async (engine) => {
    const file = join(engine.folder, "copied");
    await copyText(store, "a", file);
    const text = readFileSync(file, "utf8");
    assert.ok(text.length < 3_000_000, `${text.length}`);
    const lines = text.split("\n");
    assert.equal([lines.length, lines[0], lines[2]], [4, one.trimEnd(), two.trimEnd()]);
  });
});

test("pass on the error of their source", async () => {
  const store = new MemoryStore();
  store.read = async () =>
    (async function* () {
      yield gzipSync(one);
      throw new Error("connection lost");
    })();
  await withEngine(LIMITS, (engine) =>
    transform({ task: "transform", run: "r", result: "d-0001.json", objects: ["a"] }, store, DEFINITIONS, engine),
  ).then(
    () => assert.unreachable(),
    (error) => assert.is(error.message, "connection lost"),
  );
});

test.run();
