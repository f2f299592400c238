/** A training that fails the same way when it is repeated unchanged. The message, with a remedy, is the execution's cause. */
export class TrainingError extends Error {
  override name = "TrainingError";
}

/** Message for a run whose ETL left no manifest. */
export function noManifest(run: string): string {
  return `The run ${run} has no manifest: its ETL did not finish. Start the training again`;
}
