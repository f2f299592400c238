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

test.run();
