/**
 * The timeout of a call, in seconds: longer than the function's own 15 minutes, so that the function's error comes
 * first.
 */
export const TASK_SECONDS = 930;

/**
 * Returns the `Retry` of a state that calls a function. Never retries the error named `final`, which would recur.
 * Retries throttling and calls that did not reach the function up to six times, and all other errors as given by
 * `more`.
 */
export function retriesOf(final: string, more: { MaxAttempts: number; BackoffRate: number }): readonly object[] {
  return [
    { ErrorEquals: [final], MaxAttempts: 0 },
    {
      ErrorEquals: [
        "Lambda.ServiceException",
        "Lambda.AWSLambdaException",
        "Lambda.SdkClientException",
        "Lambda.TooManyRequestsException",
      ],
      IntervalSeconds: 2,
      MaxAttempts: 6,
      BackoffRate: 2,
    },
    { ErrorEquals: ["States.TaskFailed", "States.Timeout"], IntervalSeconds: 5, ...more },
  ];
}
