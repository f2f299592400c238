import { createHash } from "node:crypto";

const FIRST_CAPACITY = 1 << 12;

/**
 * Counts how often each of many digests was seen, in 16 to 32 bytes a distinct one: a Map of ten million would take
 * more than a gigabyte. Digests count as equal when their first eight bytes are.
 */
export class Occurrences {
  private table = new BigUint64Array(FIRST_CAPACITY);
  private used = 0;
  /** Beyond the first time: few rows repeat. */
  private readonly repeats = new Map<bigint, number>();

  /** How often the digest was seen, this time included. */
  add(digest: Buffer): number {
    // Zero marks a free place.
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

  /** Where the key is, or the free place for it. */
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
 * Gives events their EVENT_ID: derived from the row and from how many equal rows were before it in the file, so that the
 * same file gives the same ids, and a file that was uploaded twice adds nothing. The order of columns does not matter.
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
