import * as assert from "uvu/assert";
import { movesTo, targetOf } from "../../../cli/apply/rollback.ts";
import { type Deployment, prunable } from "../../../cli/apply/versions.ts";
import { suite } from "../../suite.ts";

const test = suite("rolling back");

const deployment = (at: string, functions: Record<string, string>): Deployment => ({ at, functions });
const THIRD = deployment("third", { "api-router": "4", "log-handler": "2", etl: "3" });
const SECOND = deployment("second", { "api-router": "2", "log-handler": "2", etl: "2" });
const FIRST = deployment("first", { "api-router": "1", "log-handler": "1" });

test("goes to the deployment before the one that is live", () => {
  assert.is(targetOf(THIRD.functions, [THIRD, SECOND, FIRST]), SECOND);
  assert.equal(movesTo(THIRD.functions, SECOND), [{ name: "api-router", from: "4", to: "2" }]);
});

test("goes to the last complete deployment when a later one failed midway", () => {
  assert.is(targetOf({ ...THIRD.functions, "api-router": "5" }, [THIRD, SECOND]), THIRD);
});

test("completes an interrupted rollback, whose history was already shortened", () => {
  const half = { "api-router": "1", "log-handler": "2" };
  assert.is(targetOf(half, [FIRST]), FIRST);
  assert.equal(movesTo(half, FIRST), [{ name: "log-handler", from: "2", to: "1" }]);
});

test("never moves the functions that Terraform and the state machines call", () => {
  const before = deployment("before", { etl: "1", training: "1", "personalize-manager": "1" });
  assert.is(targetOf({ etl: "2", training: "2", "personalize-manager": "2" }, [before]), undefined);
});

test("has no target without an earlier deployment", () => {
  assert.is(targetOf(FIRST.functions, [FIRST]), undefined);
  assert.is(targetOf(FIRST.functions, []), undefined);
});

test("keeps the versions of recorded deployments, and the newest, which is in Terraform's state", () => {
  assert.equal(prunable(["1", "2", "3", "4", "5"], "api-router", [SECOND, FIRST]), ["3", "4"]);
  assert.equal(prunable([], "api-router", [SECOND]), []);
});

test.run();
