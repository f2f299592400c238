import type { SQSEvent } from "aws-lambda";
import * as assert from "uvu/assert";
import { createHandler, DELAYED_CHANGES } from "../../../functions/realtime-sync/handler.ts";
import { syncWorld } from "../../lib/recommendation/sync-world.ts";
import { suite } from "../../suite.ts";

const test = suite("functions/realtime-sync");

function start() {
  const world = syncWorld();
  const printed: string[] = [];
  const handler = createHandler({ ...world.services, print: (line) => printed.push(line) });
  const invoke = (bodies: Record<string, string | object>, ms = 60_000) => {
    const Records = Object.entries(bodies).map(([messageId, body]) => ({
      messageId,
      body: typeof body === "string" ? body : JSON.stringify(body),
    }));
    return handler({ Records } as SQSEvent, { getRemainingTimeInMillis: () => ms });
  };
  return { world, printed, invoke };
}

test("merges the messages of a batch, so that each id is put once and ids share calls", async () => {
  const { world, printed, invoke } = start();
  for (const id of ["b1", "b2", "b3"]) world.put("item", { ITEM_ID: id, IS_ACTIVE: "True" });
  world.put("user", { USER_ID: "u1", IS_ACTIVE: "True" });
  const answer = await invoke({
    a: { dataset: "item", ids: ["b1", "b2"] },
    b: { dataset: "item", ids: ["b2", "b3"] },
    c: { dataset: "user", ids: ["u1"] },
  });
  assert.equal(answer, { batchItemFailures: [] });
  assert.equal(
    world.puts.map(({ dataset, records }) => [dataset, records.map(({ id }) => id)]),
    [
      ["user", ["u1"]],
      ["item", ["b1", "b2", "b3"]],
    ],
  );
  assert.equal(printed, []);
});

test("returns only the messages with an unfinished id, and reports them in a line and a metric", async () => {
  const { world, printed, invoke } = start();
  world.put("item", { ITEM_ID: "b1", IS_ACTIVE: "True" });
  world.unreadable.add("b2");
  const answer = await invoke({
    a: { dataset: "item", ids: ["b1"] },
    b: { dataset: "item", ids: ["b1", "b2"] },
    c: { dataset: "item", ids: ["b2"] },
  });
  assert.equal(answer, { batchItemFailures: [{ itemIdentifier: "b" }, { itemIdentifier: "c" }] });
  assert.equal(JSON.parse(printed[0] ?? "").reasons, { b2: "down" });
  assert.is(JSON.parse(printed[1] ?? "")[DELAYED_CHANGES], 2);
});

for (const body of ["no JSON", "{}", '{"dataset":"event","ids":["x"]}', '{"dataset":"item","ids":[]}', "null"]) {
  test(`a message ${body} is returned, and so ends in the dead-letter queue`, async () => {
    const { world, invoke } = start();
    world.put("item", { ITEM_ID: "b1", IS_ACTIVE: "True" });
    const answer = await invoke({ bad: body, good: { dataset: "item", ids: ["b1"] } });
    assert.equal(answer, { batchItemFailures: [{ itemIdentifier: "bad" }] });
    assert.is(world.puts.length, 1);
  });
}

test("answers before its time runs out", async () => {
  const { world, invoke } = start();
  world.put("item", { ITEM_ID: "b1", IS_ACTIVE: "True" });
  const answer = await invoke({ a: { dataset: "item", ids: ["b1"] } }, 2_000);
  assert.equal(answer, { batchItemFailures: [{ itemIdentifier: "a" }] });
  assert.equal(world.puts, []);
});

test.run();
