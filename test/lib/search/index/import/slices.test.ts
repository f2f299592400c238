import { gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import type { Format } from "../../../../../lib/platform/contract/search.ts";
import { seeded } from "../../../../../lib/platform/statistics/random.ts";
import { type ParseOptions, parseSlice } from "../../../../../lib/search/index/import/parse.ts";
import { type ImportFile, readSlices, type Slice } from "../../../../../lib/search/index/import/slices.ts";
import { suite } from "../../../../suite.ts";

const test = suite("slices of imported files");

/** Returns the slices of files whose content arrives in chunks of random sizes. */
async function slicesOf(contents: Record<string, string>, format: Format, size: number, seed: number, from?: Slice) {
  const stored = new Map(
    Object.entries(contents).map(([name, text]) => [name, name.endsWith(".gz") ? gzipSync(text) : Buffer.from(text)]),
  );
  const files: ImportFile[] = [...stored].map(([name, { length }]) => ({ name, size: length, tag: "1" }));
  const random = seeded(seed);
  const open = async function* ({ name }: ImportFile, start: number) {
    const bytes = stored.get(name) ?? Buffer.alloc(0);
    for (let at = start; at < bytes.length; ) {
      const end = at + 1 + Math.floor(random() * 40);
      yield bytes.subarray(at, end);
      at = end;
    }
  };
  const next = from ? { slice: from.slice, file: from.file, offset: from.from } : { slice: 0, file: 0, offset: 0 };
  const slices: Slice[] = [];
  for await (const slice of readSlices(files, open, { format, next, slice_bytes: size })) slices.push(slice);
  return slices;
}

const OPTIONS: ParseOptions = { format: "documents", idField: "id", prefix: "run", check: false };

const written = (slices: readonly Slice[], options: Partial<ParseOptions> = {}) =>
  slices
    .flatMap((slice) => parseSlice(slice, { ...OPTIONS, ...options }))
    .map((one) => ("document" in one ? one.document : one));

const DOCUMENTS = Array.from({ length: 40 }, (_, id) => JSON.stringify({ id: `d${id}`, text: "x".repeat(id * 3) }));
const PAIRS = DOCUMENTS.flatMap((document, id) => [
  JSON.stringify({ index: { _id: `d${id}`, routing: `r${id % 3}` } }),
  // A document that looks like an action.
  id % 5 === 0 ? '{"delete":{"_id":"no"}}' : document,
]);
const ROWS = Array.from({ length: 40 }, (_, id) => `d${id},"a ""quoted""\nline, ${"y".repeat(id)}",${id}`);

const CASES: Array<{ format: Format; text: string; documents: Array<{ id: string; source: string }> }> = [
  {
    format: "documents",
    text: `\uFEFF${DOCUMENTS.join("\r\n")}`,
    documents: DOCUMENTS.map((source, id) => ({ id: `d${id}`, source })),
  },
  {
    format: "bulk",
    text: `${PAIRS.join("\n")}\n\n`,
    documents: DOCUMENTS.map((_, id) => ({
      op: "index",
      id: `d${id}`,
      source: PAIRS[2 * id + 1] ?? "",
      routing: `r${id % 3}`,
    })),
  },
  {
    format: "csv",
    text: `\uFEFFid,"text, long",n\n${ROWS.join("\n")}\n`,
    documents: ROWS.map((_, id) => ({
      id: `d${id}`,
      source: JSON.stringify({ id: `d${id}`, "text, long": `a "quoted"\nline, ${"y".repeat(id)}`, n: String(id) }),
    })),
  },
];

for (const { format, text, documents } of CASES) {
  test(`${format}: each document is in one slice, however the content arrives`, async () => {
    for (const name of ["a", "a.gz"]) {
      for (const size of [1, 70, 1_000, 100_000]) {
        const slices = await slicesOf({ [name]: text }, format, size, size);
        assert.equal(written(slices, { format }), documents, `${name} ${size}`);
        if (size === 70) assert.ok(slices.length > 10, "there are several slices");
      }
    }
  });

  test(`${format}: a resumed run finds the same slices`, async () => {
    const contents = { "a.gz": text, b: text, "c.gz": text };
    const all = await slicesOf(contents, format, 300, 1);
    for (const from of all) {
      assert.equal(await slicesOf(contents, format, 300, from.slice + 2, from), all.slice(from.slice));
    }
  });
}

test("documents without an id field get ids that stay the same", async () => {
  const slices = await slicesOf({ a: DOCUMENTS.join("\n") }, "documents", 200, 1);
  for (const check of [false, true]) {
    const documents = () => written(slices, { idField: undefined, check });
    assert.equal(
      documents().map((one) => "source" in one && one.source),
      DOCUMENTS,
    );
    const ids = () => documents().map(({ id }) => id);
    assert.is(new Set(ids()).size, DOCUMENTS.length);
    assert.equal(ids(), ids());
    assert.match(ids()[0] ?? "", /^run-0-0$/);
  }
});

test("numbers in documents stay as written", async () => {
  const line = '{"id":9007199254740991,"price":1.0,"big":12345678901234567890}';
  assert.equal(written(await slicesOf({ a: line }, "documents", 10, 1)), [{ id: "9007199254740991", source: line }]);
});

test("lines that cannot be imported are rejected with their place and reason", async () => {
  const lines = [
    '{"index":{"_id":"a"}}',
    "{}",
    '{"delete":{"_id":"b"}}',
    '{"update":{"_id":"c"}}',
    "{}",
    '{"index":{}}',
  ];
  const slices = await slicesOf({ a: lines.join("\n") }, "bulk", 1_000, 1);
  const rejected = slices
    .flatMap((slice) => parseSlice(slice, { ...OPTIONS, format: "bulk" }))
    .flatMap((one) => ("reason" in one ? [[one.at, one.reason]] : []));
  assert.equal(rejected, [
    [25, "an import does not delete: only index and create are taken"],
    [48, "the action is neither index nor create"],
    [74, "no document follows the last action"],
  ]);
  const plain = written(await slicesOf({ a: 'no\n{"id":""}\n{"id":1.5}\n[]' }, "documents", 1_000, 1));
  assert.equal(
    plain.map((one) => ("reason" in one ? one.reason : "")),
    [
      "the line is not a JSON object",
      ...new Array(2).fill("id holds no id: text or a whole number"),
      "the line is not a JSON object",
    ],
  );
  const row = written(await slicesOf({ a: "id,n\na,1,2\n,1\nb,2\n" }, "csv", 1_000, 1), { format: "csv" });
  assert.equal(
    row.map((one) => ("reason" in one ? one.reason : one.id)),
    ["the row has 3 cells, and the header 2", "the row has no id", "b"],
  );
});

test("bytes that are not UTF-8 are not changed silently", async () => {
  const bytes = Buffer.concat([Buffer.from('{"id":"a"}\n{"id":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  const parsed = parseSlice({ slice: 0, file: 0, from: 0, end: bytes.length, bytes }, OPTIONS);
  assert.equal(
    parsed.map((one) => ("reason" in one ? one.reason : one.document.id)),
    ["a", "the line is not UTF-8"],
  );
});

test("a broken gzip file stops the import", async () => {
  const open = async function* () {
    yield gzipSync("x".repeat(10_000)).subarray(0, 30);
  };
  try {
    for await (const _ of readSlices([{ name: "a.gz", size: 30, tag: "" }], open, {
      format: "documents",
      next: { slice: 0, file: 0, offset: 0 },
      slice_bytes: 10,
    }));
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, "a.gz is not a complete gzip file");
  }
});

test.run();
