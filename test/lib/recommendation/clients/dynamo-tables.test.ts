import * as assert from "uvu/assert";
import { fitting } from "../../../../lib/recommendation/clients/dynamo-tables.ts";
import { suite } from "../../../suite.ts";

const test = suite("ETL's clients");

test("popular items are cut to what one record can hold, keeping the most popular", () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `${"€".repeat(250)}${index}`);
  const kept = fitting(ids);
  assert.equal(kept, ids.slice(0, kept.length));
  const bytes = Buffer.byteLength(kept.join(""));
  assert.ok(bytes < 400_000 && bytes > 330_000, `${bytes}`);
  assert.equal(fitting(["B1", "B2"]), ["B1", "B2"]);
});

test.run();
