import * as assert from "uvu/assert";
import { tasteEvents } from "../lib/recommendation/training/taste-events.ts";
import { trainingWorld } from "../lib/recommendation/training/world.ts";
import { suite } from "../suite.ts";

const test = suite("a training in an account with few functions");

test("completes even if fewer functions may run than a map calls", async () => {
  const world = await trainingWorld({ project: "narrow", concurrency: 1 });
  try {
    await world.deployPersonalize();
    await world.setProfiles(60, 100);
    await world.setEvents(tasteEvents(60, 30));
    const { status, cause } = await world.ended(await world.start("first", { mode: "init" }));
    assert.is(status, "SUCCEEDED", cause);
  } finally {
    await world.stop();
  }
});

test.run();
