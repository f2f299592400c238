/** Prefixes in the bucket, for Firehose, ETL, life cycle rules and policies. */
export const PREFIXES = {
  /** The configuration files of the last deployment. */
  configuration: "configuration/",
  /** Documents that change without a deployment, with all their versions. */
  documents: "documents/",
  /** Searches, recommendations and events of users; kept for `logging.retention_days`. */
  logs: "logs/",
  /** Request log of the search gateway. */
  searchLogs: "logs/search/",
  /** Request log of the recommendation service. */
  recommendationLogs: "logs/recommendations/",
  /** Events that followed from searches. */
  searchEvents: "logs/events/",
  /** Interaction events as they were received. */
  events: "events/",
  /** Output of ETL. */
  etl: "etl/",
  /** Events as ETL transformed them, by day. Runs share them. */
  etlDays: "etl/days/",
  /** Input, output and lists of `relevance batch`. */
  batch: "batch/",
  /** Start of the folders of runs. */
  etlRuns: "etl/run=",
  /** Progress of `relevance forget`, one object for each person while it runs. */
  forget: "forget/",
  /** Results of the question to the request log with which a deployment ends. */
  athena: "athena/",
  /** Records that Firehose could not deliver. */
  deliveryErrors: "errors/",
} as const;

/** Lists of users for data deletion jobs. Below `etl/`, which is all that the role of Personalize may read. */
export const DELETIONS = `${PREFIXES.etl}deletions/`;

/** Folder of one ETL run. */
export function etlRun(execution: string): string {
  return `${PREFIXES.etlRuns}${execution}/`;
}
