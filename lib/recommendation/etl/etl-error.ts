/** An ETL failure that a retry cannot fix. The execution reports the message as its cause. */
export class EtlError extends Error {
  override name = "EtlError";
}
