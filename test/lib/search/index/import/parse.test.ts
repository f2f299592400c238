import * as assert from "uvu/assert";
import { parseSlice } from "../../../../../lib/search/index/import/parse.ts";
import { suite } from "../../../../suite.ts";

const test = suite("rows and lines of imported files");

const slice = (bytes: Buffer, more: object = {}) => ({ slice: 0, file: 0, from: 10, bytes, ...more });

for (const [what, format, bytes, more, reason] of [
  [
    "rows in another encoding",
    "csv",
    Buffer.from("1,caf\xe9\n", "latin1"),
    { columns: ["id", "title"] },
    "the rows are not UTF-8",
  ],
  ["a line that is no object", "documents", Buffer.from("[1]\n"), {}, "the line is not a JSON object"],
  [
    "a document without the id",
    "documents",
    Buffer.from('{"title":"a"}\n'),
    {},
    "id holds no id: text or a whole number",
  ],
  ["an id of another type", "documents", Buffer.from('{"id":1.5}\n'), {}, "id holds no id: text or a whole number"],
] as const) {
  test(`${what} is kept with the reason`, () => {
    const [one] = parseSlice(
      slice(bytes, more) as never,
      { format, idField: "id", prefix: "run", check: false } as never,
    );
    assert.equal(one && "reason" in one && one.reason, reason);
  });
}

test("cells of a CSV file get the types of the index's fields, with all their digits", () => {
  const columns = ["id", "price", "stock", "sold", "zip"];
  const [one] = parseSlice(slice(Buffer.from("9,12.50,12345678901234567890,true,0815\n"), { columns }) as never, {
    ...{ format: "csv", idField: "id", prefix: "run", check: false },
    fields: new Map(
      Object.entries({ id: "keyword", price: "double", stock: "unsigned_long", sold: "boolean", zip: "long" }).map(
        ([name, type]) => [name, { type }],
      ),
    ),
  });
  const source = '{"id":"9","price":12.50,"stock":12345678901234567890,"sold":true,"zip":"0815"}';
  assert.equal(one, { at: 10, document: { id: "9", source } });
});

test.run();
