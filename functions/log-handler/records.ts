import { grouped } from "../../lib/aws/call.ts";

/** The largest record of Firehose before encoding, in bytes: 1,000 KiB. */
export const MAX_RECORD_BYTES = 1_024_000;
/** The most records of a PutRecordBatch. */
export const MAX_BATCH_RECORDS = 500;
/** The largest PutRecordBatch in bytes: 4 MiB. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Packs lines into records, in order, with a newline after each. Fills the records, since Firehose bills each as at
 * least 5 KB. Never splits a line, since CloudWatch Logs delivers none above 256 KB.
 */
export function packRecords(lines: readonly string[], maxBytes = MAX_RECORD_BYTES): Buffer[] {
  const bytes = lines.map((line) => Buffer.from(`${line}\n`));
  const limits = { bytes: maxBytes, count: Number.POSITIVE_INFINITY };
  return grouped(bytes, sizeOf, limits).map((group) => Buffer.concat(group));
}

/** Groups records into calls of PutRecordBatch. */
export function packBatches(records: readonly Buffer[]): Buffer[][] {
  return grouped(records, sizeOf, { bytes: MAX_BATCH_BYTES, count: MAX_BATCH_RECORDS });
}

const sizeOf = ({ length }: Buffer) => length;
