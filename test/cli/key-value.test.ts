import * as assert from "uvu/assert";
import { type DeployedApi, keyValueFor } from "../../cli/deployed-api.ts";
import type { Endpoint, KeyRules } from "../../lib/platform/http/access.ts";
import { suite } from "../suite.ts";

const test = suite("the key that a command uses");

const RUNS: readonly Endpoint[] = ["administration", "bulk"];

/** Returns the name of the chosen key among those that are deployed. */
function chosen(keys: readonly KeyRules[] | undefined, deployed = keys?.map(({ name }) => name) ?? ["default"]) {
  const api = { keys: deployed.map((key) => ({ name: key, key, value: `value of ${key}` })) } as unknown as DeployedApi;
  return keyValueFor(api, keys, RUNS)?.replace("value of ", "");
}

const rules = (name: string, endpoints: readonly Endpoint[], more: Partial<KeyRules> = {}): KeyRules => ({
  name,
  endpoints: [...endpoints],
  ...more,
});
const raw: readonly Endpoint[] = ["raw-backend", "bulk"];

test("is the only one of a project without keys", () => {
  assert.is(chosen(undefined), "default");
});

test("may make every call, or those of administration", () => {
  const recommended = rules("app", raw);
  assert.is(chosen([recommended]), undefined);
  assert.is(chosen([rules("listed", raw, { raw_backend: ["recommended"] })]), undefined);
  assert.is(chosen([recommended, rules("team", raw, { raw_backend: "all" })]), "team");
  assert.is(chosen([recommended, rules("runs", RUNS)]), "runs");
  assert.is(
    chosen([rules("team", ["bulk"], { raw_backend: "all" })]),
    undefined,
    "without the endpoint it has no effect",
  );
});

test("is one for every index, if there is one that is deployed", () => {
  const bounded = rules("bounded", RUNS, { indexes: ["books*"] });
  assert.is(chosen([rules("shop", raw, { raw_backend: "all", indexes: ["shop*"] })]), undefined);
  assert.is(chosen([bounded]), "bounded");
  assert.is(chosen([bounded, rules("runs", RUNS)]), "runs");
  assert.is(chosen([bounded, rules("runs", RUNS)], ["bounded"]), "bounded");
});

test.run();
