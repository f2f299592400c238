import * as assert from "uvu/assert";
import { lookup } from "../../../../lib/platform/json/lookup.ts";
import { needsOf, sourceText } from "../../../../lib/search/bulk/needs.ts";
import { documentsIn, roundsOf } from "../../../../lib/search/bulk/operations.ts";
import type { BulkRequest } from "../../../../lib/search/bulk/request.ts";
import type { EmbeddingMapping } from "../../../../lib/search/gateway/settings.ts";
import { suite } from "../../../suite.ts";
import { requestOf } from "./support.ts";

const test = suite("embedding needs of operations");

const mapping = (...src_fields: string[]): EmbeddingMapping => ({
  embedding_field: "v",
  model_name: "dense_large_en_v1_5",
  src_fields,
});
const needsIn = (bulk_request: BulkRequest["bulk_request"], at: EmbeddingMapping) => {
  const { bytes, operations } = requestOf(bulk_request);
  return [...needsOf(operations, [at], documentsIn(bytes)).values()].map(([need]) => need);
};
const needs = (bulk_request: BulkRequest["bulk_request"], ...src_fields: string[]) =>
  needsIn(bulk_request, mapping(...src_fields));
const text = (value: string, afterPrevious = false) => ({ kind: "text", text: value, afterPrevious });
const index = (doc: Record<string, unknown>, id = "1") => ({ id, op: "index" as const, doc });
const update = (doc: Record<string, unknown>, id = "1") => ({ id, op: "update" as const, doc });

test("texts are joined by newlines in the order of the configuration, missing and blank ones skipped", () => {
  const doc = { b: "two", a: "one", d: " \n", e: null, f: ["x", null, "", "y"], g: [null] };
  assert.equal(needs([index(doc)], "a", "b", "c", "d", "e", "f", "g"), [text("one\ntwo\nx\ny")]);
  assert.equal(needs([index({ d: "" })], "d", "z"), [{ kind: "empty", afterPrevious: false }]);
});

test("a source that is not a string or an array of strings is wrong, and the reason says what it is", () => {
  for (const [value, name] of [
    [7, "a number"],
    [true, "a boolean"],
    [{}, "an object"],
    [["a", 7], "an array with a number"],
    [[["a"]], "an array with an array"],
  ] as const) {
    assert.equal(needs([index({ a: value })], "a"), [
      { kind: "wrong", reason: `a must be a string or an array of strings to be embedded into v, got ${name}` },
    ]);
  }
});

test("operations with the caller's own embedding, and deletions, need nothing", () => {
  assert.equal(needs([index({ a: "x", v: [1] }), index({ a: "x", v: null }), { id: "2", op: "delete" }], "a"), [
    { kind: "none" },
    { kind: "none" },
    { kind: "none" },
  ]);
});

test("an update needs nothing when it changes no source, and the stored document when it changes only some", () => {
  assert.equal(needs([update({ n: 1 }, "1"), update({ a: "x" }, "2"), update({ a: "x", b: null }, "3")], "a", "b"), [
    { kind: "none" },
    { kind: "stored" },
    text("x"),
  ]);
  assert.equal(needs([update({ a: null, b: "" })], "a", "b"), [{ kind: "empty", afterPrevious: false }]);
});

test("an earlier operation on the same id tells what the stored document will hold", () => {
  const chain = [
    index({ a: "1", b: "2" }),
    update({ b: "3" }),
    update({ n: 1 }),
    update({ a: "" }),
    update({ b: null }),
  ];
  assert.equal(needs(chain, "a", "b"), [
    text("1\n2"),
    text("1\n3", true),
    { kind: "none" },
    text("3", true),
    { kind: "empty", afterPrevious: true },
  ]);
  assert.equal(needs([update({ a: "x" }), update({ b: "y" }), update({ a: "z" })], "a", "b"), [
    { kind: "stored" },
    text("x\ny", true),
    text("z\ny", true),
  ]);
  assert.equal(needs([index({ a: "1" }), { id: "1", op: "delete" }, update({ b: "2" })], "a", "b")[2], text("2", true));
  assert.equal(needs([index({ a: "1" }, "1"), update({ b: "2" }, "2")], "a", "b")[1], { kind: "stored" });
});

test("an update of a dotted path leaves its other spellings, which are embedded as in a whole document", () => {
  const [nested, dotted] = [{ a: { b: "x", n: 1 } }, { "a.b": "y" }];
  const list = { a: [{ b: "1" }, { b: null }, { b: ["2"] }] };
  const cases: Array<[docs: Record<string, unknown>[], whole: string]> = [
    [[nested, dotted], "x\ny"],
    [[dotted, nested], "x\ny"],
    [[nested, { a: { b: "z" } }], "z"],
    [[nested, { a: null }, dotted], "y"],
    [[nested, dotted, { "a.b": null }], "x"],
    [[nested, list], "1\n2"],
    [[list, nested], "x"],
    [[list, dotted], "1\n2\ny"],
  ];
  for (const [[first = {}, ...others], whole] of cases) {
    const chain = [index(first), ...others.map((doc) => update(doc))];
    assert.equal(needs(chain, "a.b").at(-1), text(whole, true), JSON.stringify(chain));
  }
  for (const doc of [nested, dotted]) assert.equal(needs([update(doc)], "a.b"), [{ kind: "stored" }]);
  assert.equal(needs([update({ a: { n: 1 } })], "a.b"), [{ kind: "none" }]);
});

test("an earlier operation with another routing is ignored, since it may be about another document", () => {
  const routed = (operation: ReturnType<typeof update>, routing: string) => ({ ...operation, routing });
  const chain = [
    routed({ ...update({ a: "1", b: "2" }), op: "index" } as never, "x"),
    routed(update({ b: "3" }), "y"),
    routed(update({ b: "4" }), "y"),
    update({ b: "5" }),
  ];
  assert.equal(needs(chain, "a", "b"), [text("1\n2"), { kind: "stored" }, { kind: "stored" }, { kind: "stored" }]);
  assert.equal(
    needs([routed(index({ a: "1" }) as never, "x"), routed(update({ b: "3" }), "x")], "a", "b")[1],
    text("1\n3", true),
  );
});

test("a dotted embedding field belongs in an object, and counts as the caller's own if it is there", () => {
  const nested = (operation: ReturnType<typeof index> | ReturnType<typeof update>) => {
    const at = { ...mapping("title", "passages.text"), embedding_field: "passages.v" };
    return needsIn([operation], at)[0];
  };
  const none = { kind: "none" };
  for (const doc of [{ title: "t" }, { title: "t", passages: {} }, { title: "t", "passages.n": 1 }]) {
    assert.equal(nested(index(doc)), text("t"), JSON.stringify(doc));
  }
  for (const own of [{ passages: { v: null } }, { "passages.v": [1] }, { passages: [{ v: [1] }, {}] }]) {
    assert.equal(nested(index({ title: "t", ...own })), none, JSON.stringify(own));
  }
  const reason = "passages must be an object, which holds the embedding passages.v";
  for (const passages of [null, "x", [{ text: "a" }]]) {
    assert.equal(nested(index({ title: "t", passages })), { kind: "wrong", reason }, JSON.stringify(passages));
  }
  assert.equal(nested(index({ title: "", passages: null })), none);
  assert.equal(
    nested(update({ title: "", passages: null })),
    { kind: "stored" },
    "it may have passages.text as one key",
  );
});

test("paths lead through objects, dotted keys and arrays of objects", () => {
  assert.equal(lookup({ a: { b: "x" } }, "a.b"), { touched: true, values: ["x"] });
  assert.equal(lookup({ "a.b": "x" }, "a.b"), { touched: true, values: ["x"] });
  assert.equal(lookup({ a: { "b.c": "x" } }, "a.b.c"), { touched: true, values: ["x"] });
  assert.equal(lookup({ a: [{ b: "x" }, { c: 1 }, { b: "y" }] }, "a.b"), { touched: true, values: ["x", "y"] });
  assert.equal(lookup({ a: { c: 1 } }, "a.b"), { touched: false, values: [] });
  assert.equal(lookup({ a: null }, "a.b"), { touched: true, values: [] }, "replaced as a whole");
  assert.equal(lookup({ a: [] }, "a.b"), { touched: true, values: [] });
  assert.equal(lookup({}, "constructor"), { touched: false, values: [] });
  assert.equal(sourceText([null, "x", ["y"]]), { texts: ["x", "y"] });
});

test("the first round holds the first operation on each id, the next the second, in the order of the request", () => {
  const list = requestOf(["a", "b", "a", "c", "a", "b"].map((id) => index({}, id))).operations;
  assert.equal(
    roundsOf(list).map((round) => round.map(({ position }) => position)),
    [[0, 1, 3], [2, 5], [4]],
  );
  assert.is(list[4]?.previous, list[2]);
  assert.is(list[3]?.previous, undefined);
});

test.run();
