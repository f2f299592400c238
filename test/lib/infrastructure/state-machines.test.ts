import * as assert from "uvu/assert";
import { etlStateMachine, etlStates } from "../../../lib/infrastructure/etl-states.ts";
import { retriesOf, TASK_SECONDS } from "../../../lib/infrastructure/lambda-task.ts";
import { teardownStateMachine, trainingStateMachine } from "../../../lib/infrastructure/state-machines.ts";
import { suite } from "../../suite.ts";

const test = suite("state machines");

const trainingArn = "arn:aws:lambda:eu-west-1:123456789012:function:p-training:live";
const taskArn = (integration: string) => `arn:aws:states:::${integration}`;
const functionArn = "arn:aws:lambda:eu-west-1:123456789012:function:p-etl:live";
const parts = { functionArn, taskArn, bucket: "b", maxConcurrency: 7 };
const training = trainingStateMachine({ training: { functionArn: trainingArn, taskArn }, etl: parts });
const machines = [training, teardownStateMachine({ training: { functionArn: trainingArn, taskArn } })];

type Named = Record<string, Record<string, unknown>>;
const statesOf = (machine: object) => Reflect.get(machine, "States") as Named;

test("name only states that exist, and reach each of them", () => {
  for (const machine of machines) {
    const states = statesOf(machine);
    const targets = [...JSON.stringify(machine).matchAll(/"(?:Next|Default|StartAt)":"([^"]+)"/g)].map(
      ([, name]) => name,
    );
    const inner = Object.values(states).flatMap((state) =>
      Object.keys(Reflect.get(Object(state.ItemProcessor), "States") ?? {}),
    );
    const known = [...Object.keys(states), ...inner];
    assert.equal(
      targets.filter((name = "") => !known.includes(name)),
      [],
    );
    assert.equal(
      known.filter((name) => !targets.includes(name)),
      [],
    );
  }
});

test("use only JSONPath, start no other execution and call only the two functions", () => {
  const text = JSON.stringify(machines);
  assert.not.match(text, /QueryLanguage|"Assign"|"Arguments"|\{%|startExecution|aws-sdk:/);
  const called = new Set([...text.matchAll(/"FunctionName":"([^"]+)"/g)].map(([, arn]) => arn));
  assert.equal(called, new Set([trainingArn, functionArn]));
});

test("wait as long as the previous step says", () => {
  const waits = machines.flatMap((machine) => Object.values(statesOf(machine)).filter(({ Type }) => Type === "Wait"));
  assert.is(waits.length, 6);
  for (const { SecondsPath } of waits) assert.match(String(SecondsPath), /^\$\..*seconds$/);
});

test("retry every error except a TrainingError", () => {
  const tasks = machines
    .flatMap((machine) => Object.values(statesOf(machine)))
    .filter(({ Parameters }) => JSON.stringify(Parameters ?? "").includes(trainingArn));
  assert.is(tasks.length, 10);
  for (const { Retry } of tasks) {
    const rules = Retry as { ErrorEquals: string[]; MaxAttempts: number }[];
    assert.equal(rules[0], { ErrorEquals: ["TrainingError"], MaxAttempts: 0 });
    assert.ok(
      rules.some(({ ErrorEquals, MaxAttempts }) => ErrorEquals.includes("States.TaskFailed") && MaxAttempts > 1),
    );
  }
});

test("stay below 25,000 history events, at nine events a poll", async () => {
  const { MAX_POLLS } = await import("../../../lib/recommendation/training/context.ts");
  const seconds = machines.map((machine) => Number(Reflect.get(machine, "TimeoutSeconds")));
  assert.equal(seconds, [48 * 3_600, 12 * 3_600]);
  const events = [MAX_POLLS.recipes, MAX_POLLS.teardown].map((look, index) => ((seconds[index] ?? 0) / look) * 9);
  for (const count of events) assert.ok(count < 24_000, `${count} events`);
});

test("those of ETL continue with the next state of the enclosing machine, or end", () => {
  assert.equal(
    [etlStates(parts, "Train").states.FinishEtl?.Next, etlStates(parts).states.FinishEtl?.End],
    ["Train", true],
  );
});

test("that of ETL calls the function in all of its steps and bounds the calls at the same time", () => {
  const text = JSON.stringify(etlStateMachine(parts));
  assert.is(text.split(`"FunctionName":"${parts.functionArn}"`).length - 1, 4);
  assert.is(text.split('"MaxConcurrency":7').length - 1, 2);
});

test("do not retry an EtlError", () => {
  const tasks = Object.values(etlStates(parts).states).filter(({ Type }) => Type === "Task");
  assert.ok(tasks.length > 0);
  for (const { Retry } of tasks) {
    assert.equal(Array.isArray(Retry) && Retry[0], { ErrorEquals: ["EtlError"], MaxAttempts: 0 });
  }
});

interface Retry {
  ErrorEquals: string[];
  IntervalSeconds: number;
  BackoffRate: number;
  MaxDelaySeconds: number;
  MaxAttempts: number;
}

test("retry a throttled call until the longest other call has ended", () => {
  const rules = retriesOf("EtlError", { MaxAttempts: 2, BackoffRate: 2 }) as Retry[];
  const rule = rules.find(({ ErrorEquals }) => ErrorEquals.includes("Lambda.TooManyRequestsException"));
  assert.ok(rule);
  const { IntervalSeconds, BackoffRate, MaxDelaySeconds, MaxAttempts } = rule;
  const delays = Array.from({ length: MaxAttempts }, (_, attempt) =>
    Math.min(IntervalSeconds * BackoffRate ** attempt, MaxDelaySeconds),
  );
  // Full jitter waits half of each delay on average.
  const waited = delays.reduce((sum, delay) => sum + delay / 2, 0);
  assert.ok(waited > TASK_SECONDS, `it gives up after about ${waited} s`);
});

test.run();
