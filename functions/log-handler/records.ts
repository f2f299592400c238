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
  return groups(
    lines.map((line) => Buffer.from(`${line}\n`)),
    { maxBytes, maxCount: Number.POSITIVE_INFINITY },
  ).map((group) => Buffer.concat(group));
}

/** Groups records into calls of PutRecordBatch. */
export function packBatches(records: readonly Buffer[]): Buffer[][] {
  return groups(records, { maxBytes: MAX_BATCH_BYTES, maxCount: MAX_BATCH_RECORDS });
}

function groups(parts: readonly Buffer[], limits: { maxBytes: number; maxCount: number }): Buffer[][] {
  const found: Buffer[][] = [];
  let current: Buffer[] = [];
  let bytes = 0;
  for (const part of parts) {
    if (current.length > 0 && (current.length >= limits.maxCount || bytes + part.length > limits.maxBytes)) {
      found.push(current);
      current = [];
      bytes = 0;
    }
    current.push(part);
    bytes += part.length;
  }
  if (current.length > 0) found.push(current);
  return found;
}
