import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { createScope } from "../../dev/scope.ts";

const test = suite("scope of make dev");

test("stops everything once, in reverse order, one after the other, however often it is closed", async () => {
  const order: string[] = [];
  const scope = createScope();
  scope.add(() => order.push("server"));
  scope.add(async () => {
    await null;
    order.push("API");
  });
  await Promise.all([scope.close(), scope.close()]);
  assert.equal(order, ["API", "server"]);
});

test("stops the others when one fails to stop, and then throws", async () => {
  let stopped = false;
  const scope = createScope();
  scope.add(() => {
    stopped = true;
  });
  scope.add(() => Promise.reject(new Error("stuck")));
  const error = await scope.close().catch((thrown) => thrown);
  assert.equal([error.message, stopped], ["stuck", true]);
});

test("stops what is added while it closes", async () => {
  const late = Promise.withResolvers<void>();
  const scope = createScope();
  const closed = scope.close();
  scope.add(() => late.resolve());
  await late.promise;
  await closed;
  assert.ok(scope.closed);
});

test.run();
