const TERM_UNIT = 2n ** 40n;
const LIMIT = 2n ** 63n;

/**
 * Returns the external version of a copy: primary term × 2^40 + sequence number. A later write to a document has a
 * higher one, also after a failover, which may give a lost sequence number to another write in a higher term. Throws
 * RangeError beyond what fits.
 */
export function copyVersion(seqNo: number, primaryTerm: number): bigint {
  const version = BigInt(primaryTerm) * TERM_UNIT + BigInt(seqNo);
  if (BigInt(seqNo) >= TERM_UNIT || version >= LIMIT) {
    throw new RangeError(`sequence number ${seqNo} in primary term ${primaryTerm} gives no version below 2^63`);
  }
  return version;
}
