import * as assert from "uvu/assert";
import { retriesOf, TASK_SECONDS } from "../../../lib/infrastructure/lambda-task.ts";
import { suite } from "../../suite.ts";

const test = suite("calls of functions by state machines");

interface Retry {
  ErrorEquals: string[];
  IntervalSeconds: number;
  BackoffRate: number;
  MaxDelaySeconds: number;
  MaxAttempts: number;
}

test("retries a throttled call until the longest other call has ended", () => {
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
