import * as assert from "uvu/assert";
import { ApiError } from "../../../../../lib/core/http/error.ts";
import { readTemplate } from "../../../../../lib/search/api/hybrid/template.ts";
import { pageOf } from "../../../../../lib/search/api/search/page.ts";
import { suite } from "../../../../suite.ts";

const test = suite("lib/search/api/hybrid/template");

const read = (from: string) => {
  const query = '{"hybrid":{"queries":[{"match_all":{}}]}}';
  return readTemplate(`{"query":${query},"from":${from}}`, null);
};

test("a whole number is accepted in any notation", () => {
  for (const from of ["10", "10.0", "1e1", "100e-1"]) assert.equal(pageOf(read(from).native), { from: 10, size: 10 });
});

test("anything but a non-negative whole number is refused", () => {
  for (const from of ["1.5", "-1", "1e400", '"10"', "{}", "[10]", "null", "false"]) {
    assert.throws(
      () => read(from),
      (error: unknown) => error instanceof ApiError && error.issues[0]?.path === "search_request_template.from",
      from,
    );
  }
});

test.run();
