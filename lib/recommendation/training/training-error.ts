/** A training that cannot go on as it is: the same again gives the same. The message is the execution's cause. */
export class TrainingError extends Error {
  override name = "TrainingError";
}
