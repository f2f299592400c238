import * as assert from "uvu/assert";
import { outlineOf } from "../../../../lib/search/bulk/operations.ts";
import { suite } from "../../../suite.ts";
import { randomJson } from "../../platform/json/random-json.ts";
import { bulkGateway } from "./support.ts";

const test = suite("outline of a bulk request");

/** Returns the parsed envelope of an outline, and the texts of its operations and documents. */
function outlined(text: string) {
  const bytes = Buffer.from(text);
  const outline = outlineOf(bytes);
  const at = (slice?: { start: number; end: number }) => slice && bytes.toString("utf8", slice.start, slice.end);
  return (
    outline && {
      envelope: JSON.parse(outline.envelope),
      elements: outline.places.map(({ element }) => at(element)),
      docs: outline.places.map(({ doc }) => at(doc)),
    }
  );
}

test("documents are cut out of the envelope, and located byte for byte", () => {
  const doc = '{ "a": [1.0, 9007199254740993], "é\\"}": "\\u00e9 {" }';
  const first = `{"id":"ü","doc": ${doc} ,"op":"index"}`;
  assert.equal(outlined(` {"index":"i", "bulk_request" : [${first} , {"id":"2","op":"delete"}]}\n`), {
    envelope: {
      index: "i",
      bulk_request: [
        { id: "ü", doc: {}, op: "index" },
        { id: "2", op: "delete" },
      ],
    },
    elements: [first, '{"id":"2","op":"delete"}'],
    docs: [doc, undefined],
  });
});

test("the last of duplicate keys wins, and an escaped key is the same key", () => {
  const { docs, elements } = outlined(
    '{"bulk_request":[{"doc":{"a":1}}],"bulk\\u005frequest":[{"doc":{"b":1},"d\\u006fc":{"c":1},"docs":{}},{"doc":{},"doc":null}]}',
  ) ?? { docs: [], elements: [] };
  assert.equal(docs, ['{"c":1}', undefined]);
  assert.is(elements.length, 2);
});

test("a part that is not an object stays in the envelope, where the schema sees it", () => {
  for (const text of ["[]", '"a"', "null", '{"bulk_request":7}', '{"bulk_request":[7,[],{"doc":[1]},{"doc":"x"}]}']) {
    assert.equal(outlined(text)?.envelope, JSON.parse(text));
  }
});

test("the envelope of any request equals the result of JSON.parse, with empty documents", () => {
  for (let seed = 0; seed < 1_000; seed += 1) {
    const { object, value, chance } = randomJson(seed);
    const docs = Array.from({ length: 1 + (seed % 4) }, () => (chance(0.8) ? object().trim() : value()));
    const text = `{"a":${value()},"bulk_request":[${docs.map((doc, i) => `{"id":"${i}","doc":${doc}}`).join(" ,")}]}`;
    const parsed = JSON.parse(text);
    const empty = parsed.bulk_request.map(({ id, doc }: { id: string; doc: unknown }) => ({
      id,
      doc: typeof doc === "object" && doc !== null && !Array.isArray(doc) ? {} : doc,
    }));
    const found = outlined(text);
    assert.equal(found?.envelope, { ...parsed, bulk_request: empty }, text);
    assert.equal(
      found?.docs,
      docs.map((doc) => (doc.startsWith("{") ? doc : undefined)),
      text,
    );
  }
});

test("an error inside a document is named, and nothing is sent", async () => {
  // Nothing listens at this address: a call would be answered 503.
  const gateway = bulkGateway("http://127.0.0.1:1");
  const answer = (doc: string) => gateway.send(`{"index":"i","bulk_request":[{"id":"1","op":"index","doc":${doc}}]}`);
  const deepest = `{"a":${"[".repeat(396)}${"]".repeat(396)}}`;
  assert.is((await answer(deepest)).status, 503);
  for (const [doc, message] of [
    ['{"a":01}', "The body is not valid JSON: "],
    ['{"a":1', "The body is not valid JSON: "],
    ['{"__proto__":{}}', 'The body has a key "__proto__", which is not allowed.'],
    ['{"\\u005f_proto__":{}}', 'The body has a key "__proto__", which is not allowed.'],
    [`{"a":${deepest}}`, "bulk_request.0.doc.a.a.0.0.0"],
  ] as const) {
    const { status, body } = await answer(doc);
    assert.is(status, 400, doc);
    assert.match(body.error.message, message);
  }
  assert.is((await answer('{"__proto__x":"__proto__"}')).status, 503);
});

test.run();
