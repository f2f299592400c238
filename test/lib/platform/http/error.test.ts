import * as assert from "uvu/assert";
import { ApiError } from "../../../../lib/platform/http/error.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/platform/http/error");

test("an error for a client of the cluster has the status beside it, and is named as the cluster's are", () => {
  const error = new ApiError("index_not_found", "There is no index.");
  const body = JSON.parse(error.body("r-1", { native: true }));
  assert.is(body.status, error.statusCode);
  assert.equal([body.error.type, body.error.reason], ["index_not_found", "There is no index."]);
  assert.equal(body.error.root_cause, [{ type: "index_not_found", reason: "There is no index." }]);
  const plain = JSON.parse(error.body("r-1"));
  assert.equal(plain, { error: { code: "index_not_found", message: "There is no index.", request_id: "r-1" } });
});

test.run();
