import { gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import { readLines } from "../../../../lib/recommendation/etl/lines.ts";
import { suite } from "../../../suite.ts";

const test = suite("lines of an object");

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** `line: text` or `line! problem` for each, empty lines left out. */
async function read(bytes: Uint8Array, chunk = 1_000): Promise<string[]> {
  const found: string[] = [];
  for await (const block of readLines(cut(bytes, chunk))) {
    if ("problem" in block) found.push(`${block.first}! ${block.problem}`);
    else found.push(...block.lines.flatMap((line, index) => (line ? `${block.first + index}: ${line}` : [])));
  }
  return found;
}

const TEXT = "one\n\nzwölf €\nlast";
const LINES = ["1: one", "3: zwölf €", "4: last"];
const forms: Record<string, Uint8Array> = {
  "plain text": Buffer.from(TEXT),
  "text that ends with a line feed": Buffer.from(`${TEXT}\n`),
  gzip: gzipSync(TEXT),
  "gzip of several members": Buffer.concat([gzipSync("one\n\nzw"), gzipSync("ölf €\nlast")]),
};
for (const [form, bytes] of Object.entries(forms)) {
  test(`are read from ${form}, wherever its chunks end`, async () => {
    for (let chunk = 1; chunk <= 12; chunk += 1) assert.equal(await read(bytes, chunk), LINES, `chunks of ${chunk}`);
  });
}

test("are none of an empty object", async () => {
  assert.equal(await read(Buffer.alloc(0)), []);
});

test("before damage in gzip are read, then the damage is named", async () => {
  const random = Array.from({ length: 200_000 }, (_, index) => `line ${(index * 7919) % 99_991}`).join("\n");
  const zipped = gzipSync(random);
  const lines = await read(zipped.subarray(0, zipped.length / 2));
  assert.ok(lines.length > 1_000);
  assert.match(lines.at(-1) ?? "", /^\d+! gzip data is damaged: unexpected end of file$/);
});

test("that are not UTF-8 are named, the others read", async () => {
  const bytes = Buffer.concat([
    Buffer.from("one\n"),
    Buffer.from([0xff, 0x0a]),
    Buffer.from("three\n"),
    Buffer.from([0xe2]),
  ]);
  assert.equal(await read(bytes), ["1: one", "2! is not UTF-8", "3: three", "4! is not UTF-8"]);
});

for (const size of [1_000, 300_000, 5_000_000]) {
  test(`that are too long are named and not kept, in chunks of ${size}`, async () => {
    const bytes = Buffer.from(`one\n${"x".repeat(3_000_000)}\nthree\n`);
    const lines = await read(bytes, size);
    assert.equal(
      lines.map((line) => line.slice(0, 40)),
      ["1: one", "2! is longer than 1024000 bytes", "3: three"],
    );
  });
}

test("that are too long at the end are named", async () => {
  assert.equal(await read(Buffer.from(`one\n${"x".repeat(3_000_000)}`)), ["1: one", "2! is longer than 1024000 bytes"]);
});

test("pass on what the source fails with", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield gzipSync("one\n");
    throw new Error("connection lost");
  }
  const all = async () => {
    for await (const block of readLines(broken())) assert.ok(block);
  };
  await all().then(
    () => assert.unreachable(),
    (error) => assert.is(error.message, "connection lost"),
  );
});

test.run();
