/** Longest call of a function, in seconds: above the function's own limit of 15 minutes, which names the reason. */
export const TASK_SECONDS = 930;

/**
 * `Retry` of a state that calls a function. What passes by itself is tried again: throttling, a function that was not
 * reached. The error that is named `final` would come again, so it is not; all others get `more` tries.
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
