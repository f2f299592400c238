import * as assert from "uvu/assert";
import { takeOut } from "../fixtures/taken-out.ts";
import { trainingStory } from "../fixtures/training-story.ts";
import { suite } from "../suite.ts";

const test = suite("removed permissions");

/** How many permissions to remove. */
const COUNT = 2;

test("removing any one of them fails a training and teardown that pass with all of them", async () => {
  const { needed, outcomes } = await takeOut(trainingStory, COUNT);
  assert.ok(needed > 30, `only ${needed} are needed`);
  assert.equal(
    outcomes.filter(({ missed }) => !missed),
    [],
  );
  assert.is(outcomes.length, COUNT);
});

test.run();
