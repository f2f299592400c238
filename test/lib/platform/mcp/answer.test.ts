import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { parseLossless } from "../../../../lib/platform/json/values.ts";
import { answerText, MAX_ANSWER_TOKENS } from "../../../../lib/platform/mcp/answer.ts";
import type { ResultList } from "../../../../lib/platform/mcp/tool.ts";
import { suite } from "../../../suite.ts";

const test = suite("answers of tools");

const found = (
  entries: ResultList["entries"],
  facts: ResultList["facts"] = {},
  total = entries.length,
): ResultList => ({
  ...{ list: "hits", entries, facts },
  hasMore: (shown) => shown < total,
});

interface Answer {
  hits: { id: string; left_out?: string }[];
  next_cursor?: string;
}

const read = (text: string): Answer => JSON.parse(text);

const long = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
  fc
    .tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 20 }), fc.nat({ max: 2_000 }))
    .map(([text, times]) => text.repeat(times)),
);
const documents = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, long, fc.double(), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 30 }),
  object: fc.dictionary(long, tie("value"), { maxKeys: 8 }),
}));
const entries = fc.array(documents.object, { maxLength: 20 });

test("has at most so many bytes, and with its cursors every entry in order", () => {
  fc.assert(
    fc.property(entries, documents.value, (all, aggregations) => {
      const listed = all.map((document, at) => ({ id: `b${at}`, document }));
      const ids: string[] = [];
      for (let skip: number | undefined = 0; skip !== undefined; ) {
        const at: number = skip;
        const text = answerText(found(listed.slice(at), { total: all.length, aggregations }), at);
        assert.ok(Buffer.byteLength(text) <= MAX_ANSWER_TOKENS, `${Buffer.byteLength(text)} bytes`);
        const { hits, next_cursor }: Answer = read(text);
        ids.push(...hits.map(({ id }) => id));
        skip = next_cursor === undefined ? undefined : Number(next_cursor);
        assert.ok(skip === undefined || skip > at, "a page without entries");
      }
      assert.equal(
        ids,
        listed.map(({ id }) => id),
      );
    }),
    { numRuns: 100, seed: 20_261_126 },
  );
});

test("leaves what is short as it was, numbers with all digits", () => {
  const entry = parseLossless('{"id":"b1","document":{"n":9007199254740993,"price":1.0}}') as Record<string, unknown>;
  assert.is(
    answerText(found([entry], { total: 1, degraded: undefined }), 0),
    '{"total":1,"hits":[{"id":"b1","document":{"n":9007199254740993,"price":1.0}}]}',
  );
});

test("shows that it has cut texts and lists", () => {
  const document = { text: "x".repeat(5_000), list: Array.from({ length: 600 }, (_, at) => at) };
  const { hits } = read(answerText(found([{ id: "b1", document }]), 0));
  const [{ document: cut }] = hits as unknown as [{ document: { text: string; list: unknown[] } }];
  assert.match(cut.text, /^x+…$/);
  assert.match(String(cut.list.at(-1)), /^… \d+ more$/);
});

test("shows what is deep as an ellipsis", () => {
  let document: object = {};
  for (let depth = 0; depth < 2_000; depth += 1) document = { deeper: document };
  assert.match(answerText(found([{ id: "b1", document }]), 0), /"deeper":"…"/);
});

test("keeps the id of an entry that cannot be cut to fit", () => {
  const document = { ["x".repeat(3_000)]: 1 };
  assert.equal(read(answerText(found([{ id: "b1", document }, { id: "b2" }]), 0)).hits, [
    { id: "b1", left_out: "the rest is too long" },
    { id: "b2" },
  ]);
});

test.run();
