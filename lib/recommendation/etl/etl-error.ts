/** An ETL run that cannot go on as it is: trying the same again gives the same. The message is the run's cause. */
export class EtlError extends Error {
  override name = "EtlError";
}
