import * as assert from "uvu/assert";
import { columnsOf } from "../../../../lib/recommendation/built-in/matrix.ts";
import { byPopularity, newestTenth } from "../../../../lib/recommendation/built-in/measure.ts";
import { suite } from "../../../suite.ts";

const test = suite("the yardstick of the built-in engine");

test("popular items come first, of equally popular ones the first", () => {
  const matrix = {
    users: 3,
    items: 4,
    startOfUser: Int32Array.of(0, 2, 4, 6),
    itemOf: Int32Array.of(2, 3, 3, 2, 3, 0),
  };
  assert.equal(byPopularity(columnsOf(matrix)), [3, 2, 0, 1]);
});

test("the newest tenth of a user's items is to be predicted, at least one", () => {
  assert.equal([1, 4, 10, 25, 100].map(newestTenth), [1, 1, 1, 3, 10]);
});

test.run();
