import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { mount } from "../../api/service.ts";
import { createUsage, type UsagePlan } from "../../api/usage.ts";

const test = suite("usage plans of the local API");

/** A usage plan with its own clock; each attempt returns "ok" or the seconds to wait. */
function plan(usage: UsagePlan, start = 0) {
  const clock = { ms: start };
  const use = createUsage(usage, () => clock.ms);
  const attempt = (key = "k") => {
    try {
      use(key);
      return "ok";
    } catch (error) {
      return (error as { headers: Record<string, string> }).headers["retry-after"];
    }
  };
  return { clock, attempt };
}

test("allows a burst, then refuses until the rate has refilled the bucket", () => {
  const { clock, attempt } = plan({ rateLimit: 2, burstLimit: 3 });
  assert.equal([attempt(), attempt(), attempt(), attempt()], ["ok", "ok", "ok", "1"]);
  clock.ms = 500;
  assert.equal([attempt(), attempt()], ["ok", "1"]);
});

test("counts each key separately", () => {
  const { attempt } = plan({ rateLimit: 1, burstLimit: 1 });
  assert.equal([attempt("a"), attempt("b"), attempt("a")], ["ok", "ok", "1"]);
});

test("refuses everything if half of the limits is missing, which is 0 in API Gateway", () => {
  assert.equal([plan({ rateLimit: 2 }).attempt(), plan({ rateLimit: 2, burstLimit: 0 }).attempt()], ["1", "1"]);
  const { attempt } = plan({ burstLimit: 2 });
  assert.equal([attempt(), attempt(), attempt()], ["ok", "ok", "1"]);
});

test("refuses requests over the daily quota until midnight UTC", () => {
  const { clock, attempt } = plan({ dailyQuota: 2 }, 86_400_000 - 10_000);
  assert.equal([attempt(), attempt(), attempt()], ["ok", "ok", "10"]);
  clock.ms = 86_400_000;
  assert.is(attempt(), "ok");
});

test("allows everything without limits", () => {
  const { attempt } = plan({});
  assert.equal(new Set(Array.from({ length: 1_000 }, () => attempt())), new Set(["ok"]));
});

test("a key with an id of its own has limits of its own, and calls under that id", () => {
  const { admit } = mount({
    routes: [],
    handler: async () => ({ statusCode: 200, headers: {}, body: "" }),
    keys: [
      { id: "a1b2", value: "slow", usage: { rateLimit: 0.001, burstLimit: 1 } },
      { id: "c3d4", value: "free", usage: {} },
    ],
  });
  assert.equal([admit("slow"), admit("free"), admit("free")], ["a1b2", "c3d4", "c3d4"]);
  assert.throws(() => admit("slow"), /More than 0\.001 requests a second/);
  assert.throws(() => admit("other"), /missing or wrong/);
});

test.run();
