import type { Names } from "../platform/naming/names.ts";

/**
 * The timeout of a call, in seconds: longer than the function's own 15 minutes, so that the function's error comes
 * first.
 */
export const TASK_SECONDS = 930;

/** A state of the Amazon States Language. */
export type State = Readonly<Record<string, unknown>>;

/** ARNs for a state that calls a function. */
export interface TaskParts {
  /** ARN of the function's alias. */
  functionArn: string;
  /** Returns the ARN of an integration, which has the partition of the region. */
  taskArn: Names["taskArn"];
}

/**
 * Returns a Step Functions state that invokes the function with `task`, `run` (the execution name) and the payload;
 * `more` sets how the result is handled.
 */
export function taskState({ functionArn, taskArn }: TaskParts, task: string, payload: object, more: State): State {
  return {
    Type: "Task",
    Resource: taskArn("lambda:invoke"),
    TimeoutSeconds: TASK_SECONDS,
    Parameters: { FunctionName: functionArn, Payload: { task, "run.$": "$$.Execution.Name", ...payload } },
    ...more,
  };
}

/** Selects fields from the function's result. */
export const fields = (...names: string[]): State =>
  Object.fromEntries(names.map((name) => [`${name}.$`, `$.Payload.${name}`]));

/** Returns a state that continues with `yes` or `no`. */
export const choice = (Variable: string, yes: string, no: string): State => ({
  Type: "Choice",
  Choices: [{ Variable, BooleanEquals: true, Next: yes }],
  Default: no,
});

/**
 * Returns the `Retry` of a state that calls a function. Never retries the error named `final`, which would recur.
 * Retries calls that did not reach the function up to six times, and all other errors as given by `more`. A throttled call
 * waits until others end: a new account runs ten functions at the same time, fewer than a map has calls, and one may take
 * 15 minutes.
 */
export function retriesOf(final: string, more: { MaxAttempts: number; BackoffRate: number }): readonly object[] {
  return [
    { ErrorEquals: [final], MaxAttempts: 0 },
    {
      ErrorEquals: ["Lambda.TooManyRequestsException"],
      IntervalSeconds: 2,
      BackoffRate: 2,
      MaxDelaySeconds: 30,
      MaxAttempts: 100,
      JitterStrategy: "FULL",
    },
    {
      ErrorEquals: ["Lambda.ServiceException", "Lambda.AWSLambdaException", "Lambda.SdkClientException"],
      IntervalSeconds: 2,
      MaxAttempts: 6,
      BackoffRate: 2,
    },
    { ErrorEquals: ["States.TaskFailed", "States.Timeout"], IntervalSeconds: 5, ...more },
  ];
}
