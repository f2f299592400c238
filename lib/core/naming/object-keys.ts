/** Prefixes of the bucket. Firehose, ETL, life cycle rules and policies all use these. */
export const PREFIXES = {
  /** The configuration files as they were deployed. */
  configuration: "configuration/",
  /** Request log of the search gateway. */
  searchLogs: "logs/search/",
  /** Interaction events as they were received. */
  events: "events/",
  /** What ETL writes, a folder a run. */
  etl: "etl/",
  /** What Firehose could not deliver. */
  deliveryErrors: "errors/",
} as const;

/** Folder of one ETL run. */
export function etlRun(execution: string): string {
  return `${PREFIXES.etl}run=${execution}/`;
}
