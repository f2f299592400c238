import * as assert from "uvu/assert";
import { etlStateMachine, etlStates } from "../../../lib/infrastructure/etl-states.ts";
import { suite } from "../../suite.ts";

const test = suite("ETL state machine");

const parts = {
  functionArn: "arn:aws:lambda:eu-west-1:123456789012:function:p-etl:live",
  taskArn: (integration: string) => `arn:aws:states:::${integration}`,
  bucket: "b",
  maxConcurrency: 7,
};

test("continues with the next state of the enclosing machine, or ends", () => {
  assert.equal(
    [etlStates(parts, "Train").states.FinishEtl?.Next, etlStates(parts).states.FinishEtl?.End],
    ["Train", true],
  );
});

test("calls the function in all of its steps and bounds the calls at the same time", () => {
  const text = JSON.stringify(etlStateMachine(parts));
  assert.is(text.split(`"FunctionName":"${parts.functionArn}"`).length - 1, 4);
  assert.is(text.split('"MaxConcurrency":7').length - 1, 2);
});

test("does not retry an EtlError", () => {
  const tasks = Object.values(etlStates(parts).states).filter(({ Type }) => Type === "Task");
  assert.ok(tasks.length > 0);
  for (const { Retry } of tasks) {
    assert.equal(Array.isArray(Retry) && Retry[0], { ErrorEquals: ["EtlError"], MaxAttempts: 0 });
  }
});

test.run();
