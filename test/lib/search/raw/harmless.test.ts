import * as assert from "uvu/assert";
import { ApiError } from "../../../../lib/platform/http/error.ts";
import { requireHarmless } from "../../../../lib/search/raw/harmless.ts";
import { suite } from "../../../suite.ts";

const test = suite("harmless native calls");

const check = (body: Buffer) =>
  requireHarmless({ segments: ["a", "_search"], contentType: "application/json", parameters: null, body });

const costly = JSON.stringify({ query: { regexp: { f: "a*{100}{100}" } } });

test("a costly expression is found, and so is JSON in an encoding in which it could hide", () => {
  for (const body of [
    Buffer.from(costly),
    Buffer.from(costly, "utf16le"),
    Buffer.from(costly, "utf16le").swap16(),
    Buffer.from([...costly].flatMap((character) => [0, 0, 0, character.charCodeAt(0)])),
  ]) {
    assert.throws(
      () => check(body),
      (error: unknown) => error instanceof ApiError && error.code === "invalid_request",
    );
  }
  check(Buffer.from('{"query":{"regexp":{"f":"a*"}}}'));
});

test.run();
