/** A failure that a retry cannot fix. The execution reports the message, which says what to do, as its cause. */
export class TrainingError extends Error {
  override name = "TrainingError";
}

/** Returns the message for a run without a manifest. */
export function noManifest(run: string): string {
  return `The run ${run} has no manifest: its ETL did not finish. Start the training again`;
}
