import * as assert from "uvu/assert";
import { modelLine, yardstick } from "../../../../lib/recommendation/training/yardstick.ts";
import { suite } from "../../../suite.ts";

const test = suite("yardstick of a training");

const measured = {
  users: 1_200,
  built_in: { mean: 0.181, low: 0.171, high: 0.191 },
  popularity: { mean: 0.104, low: 0.097, high: 0.111 },
};

test("names the figures with intervals, and the test", () => {
  const text = yardstick(measured, 0.188);
  assert.match(text, "Personalize 0.188, built-in engine 0.181 (0.171 to 0.191), popularity 0.104 (0.097 to 0.111)");
  assert.match(text, "(1,200 test users; Personalize chooses its own)");
  assert.not.match(yardstick(measured, undefined), /Personalize|campaign/);
});

test("gives neither intervals nor a verdict of fewer than six test users", () => {
  const text = yardstick({ ...measured, users: 5 }, 0.188);
  assert.match(text, /Personalize 0\.188, built-in engine 0\.181, popularity 0\.104\. They are too few/);
  assert.not.match(text, /interval of|campaign/);
});

test("says whether the campaign earns its price, only beyond chance", () => {
  assert.match(yardstick(measured, 0.188), "0.007 (-0.007 to 0.021) is within chance");
  assert.match(yardstick(measured, 0.188), /does not earn its price by this measure$/);
  assert.match(yardstick(measured, 0.21), /better than the built-in engine, by 0.029 \(0.015 to 0.043\): that is what/);
  assert.match(
    yardstick(measured, 0.15),
    /engine recommends better than the campaign, by 0.031 \(0.017 to 0.045\), and/,
  );
  // The sign is that of Personalize minus the engine, in the difference and its bounds.
  assert.match(yardstick(measured, 0.176), "The difference of -0.005 (-0.019 to 0.009) is within chance");
});

test("names the model, why it was chosen, and what the training took", () => {
  const over = { mean: 0.02, low: 0.011, high: 0.029 };
  for (const [model, text] of [
    [
      { factors: 32, users: 1_900, over },
      "by 32 factors: for 1,900 other users, factors differ from common users by 0.020 (0.011 to 0.029)",
    ],
    [{ factors: 0, users: 1_900, over }, "by common users: for 1,900 other users"],
    [{ factors: 0, users: 2 }, "by common users: there are too few users to compare"],
  ] as const) {
    assert.match(modelLine({ model, seconds: 4.2 }), text);
    assert.match(modelLine({ model, seconds: 4.2 }), "took 4.2 s of processor time");
  }
});

test.run();
