import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { createModelControl, modelControlOverHttp } from "../control.ts";

const test = suite("control of the stand-in models over HTTP");

const control = createModelControl();
test.before.each(() => control.reset());

function ask(method: string, path: string, body = "") {
  const { status, body: text } = modelControlOverHttp(control).handle({ method, path, body: Buffer.from(body) });
  return { status, body: JSON.parse(String(text)) };
}

test("sets, shows and ends faults", () => {
  const faults = [
    { kind: "throttle", every: 3 },
    { kind: "delay", ms: 50, first: 2 },
  ];
  assert.is(ask("PUT", "/_models/sparse_v3/faults", JSON.stringify(faults)).status, 200);
  assert.equal(control.faults("sparse_v3"), faults);
  assert.equal(ask("GET", "/_models").body.sparse_v3, { calls: 0, succeeded: 0, peak: 0, faults });
  assert.equal(ask("DELETE", "/_models").body.sparse_v3.faults, []);
  assert.equal(control.faults("sparse_v3"), []);
});

for (const [name, body] of [
  ["no JSON", "{"],
  ["an unknown kind", '[{"kind":"explode"}]'],
  ["an unknown condition", '[{"kind":"throttle","evry":3}]'],
  ["a status that is not an error", '[{"kind":"status","status":200}]'],
  ["every 0th call", '[{"kind":"throttle","every":0}]'],
] as const) {
  test(`refuses ${name}`, () => {
    assert.is(ask("PUT", "/_models/sparse_v3/faults", body).status, 400);
    assert.equal(control.faults("sparse_v3"), []);
  });
}

test("rejects an unknown model, listing the models, and an unknown path", () => {
  assert.match(ask("PUT", "/_models/other/faults", "[]").body.message, /^other is not a model; there are dense_large/);
  assert.is(ask("POST", "/_models").status, 404);
  assert.is(ask("GET", "/_models/sparse_v3").status, 404);
});

test.run();
