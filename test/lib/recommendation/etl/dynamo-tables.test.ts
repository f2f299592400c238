import * as assert from "uvu/assert";
import { isTransient } from "../../../../lib/aws/errors.ts";
import { fitting } from "../../../../lib/recommendation/etl/dynamo-tables.ts";
import { suite } from "../../../suite.ts";

const test = suite("ETL's clients");

test("the popular items are cut to what one record holds, the most popular first", () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `${"€".repeat(250)}${index}`);
  const kept = fitting(ids);
  assert.equal(kept, ids.slice(0, kept.length));
  const bytes = Buffer.byteLength(kept.join(""));
  assert.ok(bytes < 400_000 && bytes > 330_000, `${bytes}`);
  assert.equal(fitting(["B1", "B2"]), ["B1", "B2"]);
});

const named = (name: string, more: object = {}) => Object.assign(new Error(name), { name }, more);
const CASES: [error: unknown, transient: boolean][] = [
  [named("SlowDown", { $metadata: { httpStatusCode: 503 } }), true],
  [named("ThrottlingException", { $metadata: { httpStatusCode: 400 } }), true],
  [named("ProvisionedThroughputExceededException", { $metadata: { httpStatusCode: 400 } }), true],
  [named("Error", { code: "ECONNRESET" }), true],
  [named("TimeoutError"), true],
  [named("AccessDenied", { $metadata: { httpStatusCode: 403 } }), false],
  [named("ValidationException", { $metadata: { httpStatusCode: 400 } }), false],
  [named("TypeError"), false],
  ["text", false],
];
for (const [error, transient] of CASES) {
  const name = error instanceof Error ? `${error.name} ${Reflect.get(error, "code") ?? ""}`.trim() : String(error);
  test(`${name} is ${transient ? "" : "not "}tried again`, () => assert.is(isTransient(error), transient));
}

test.run();
