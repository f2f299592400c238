/** The settings of the change queue and its consumer. Stacks, the local stack and the function share them. */
export const CHANGE_QUEUE = {
  /** Personalize's limit for users and items together. Source: its quotas for PutUsers and PutItems. */
  callsPerSecond: 10,
  /** Concurrent instances, which share those calls. Two is the minimum for SQS event sources. */
  maximumConcurrency: 2,
  /** Messages in an invocation. With ten ids each, they use up an instance's share of the calls for two seconds. */
  batchSize: 10,
  functionTimeoutSeconds: 60,
  /** Six times the function's timeout, as Lambda recommends for event sources. */
  visibilityTimeoutSeconds: 360,
  /** An import keeps its dataset busy. With the visibility timeout, this count outlasts an import of five hours. */
  maxReceiveCount: 50,
  /** The longest that SQS keeps messages: a change must outlast any outage of the consumer. */
  retentionDays: 14,
} as const;
