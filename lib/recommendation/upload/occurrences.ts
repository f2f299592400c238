import { createHash } from "node:crypto";

const FIRST_CAPACITY = 1 << 12;

/**
 * Counts how often each digest was seen, with 16 to 32 bytes of memory for each distinct digest. A Map of ten million
 * would take more than a gigabyte. Digests count as equal if their first eight bytes are equal.
 */
export class Occurrences {
  private table = new BigUint64Array(FIRST_CAPACITY);
  private used = 0;
  /** Counts of digests seen more than once. Few rows repeat, so a Map is enough. */
  private readonly repeats = new Map<bigint, number>();

  /** Adds a digest and returns how often it was seen, including this time. */
  add(digest: Buffer): number {
    // Zero marks a free slot.
    const key = digest.readBigUInt64LE(0) || 1n;
    if (this.insert(key)) return 1;
    const count = (this.repeats.get(key) ?? 1) + 1;
    this.repeats.set(key, count);
    return count;
  }

  private insert(key: bigint): boolean {
    const at = this.place(key);
    if (this.table[at] === key) return false;
    this.table[at] = key;
    this.used += 1;
    if (this.used > this.table.length / 2) this.grow();
    return true;
  }

  /** Returns the slot of the key, or the free slot for it. */
  private place(key: bigint): number {
    const mask = this.table.length - 1;
    let at = Number(key & BigInt(mask));
    while (this.table[at] !== 0n && this.table[at] !== key) at = (at + 1) & mask;
    return at;
  }

  private grow(): void {
    const old = this.table;
    this.table = new BigUint64Array(old.length * 2);
    for (const key of old) if (key !== 0n) this.table[this.place(key)] = key;
  }
}

/**
 * Creates a function that derives EVENT_IDs from rows. An id depends on the row and on the number of equal rows before
 * it, so the same file always has the same ids, and uploading it twice adds nothing. The order of columns does not
 * matter.
 */
export function eventIds(): (row: Iterable<readonly [string, unknown]>) => string {
  const occurrences = new Occurrences();
  return (row) => {
    const present = [...row].filter(([, value]) => value !== undefined);
    const digest = sha256(JSON.stringify(present.sort(([a], [b]) => (a < b ? -1 : 1))));
    const count = occurrences.add(digest);
    const id = count === 1 ? digest : sha256(`${digest.toString("hex")} ${count}`);
    return `row-${id.toString("base64url").slice(0, 24)}`;
  };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest();
