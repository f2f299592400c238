import { BUCKETS, bucketOf } from "./event-hash.ts";

/** The bytes of rows to sort in memory before writing them. Sorting takes twice that memory. */
export const SEGMENT_BYTES = 16 * 1_024 * 1_024;

/** The most rows in a segment. Each row takes 5 bytes in the sort tables. */
const SEGMENT_ROWS = 500_000;

/** Rows sorted by bucket. Bucket b is the bytes from `offsets[b]` up to `offsets[b + 1]`. */
export interface Segment {
  bytes: Buffer;
  rows: number;
  offsets: number[];
}

/**
 * Collects rows and returns them sorted by bucket, keeping the original order within a bucket. It stores rows as bytes,
 * because 16 MiB of short strings take 60 MiB of heap, and garbage collection would take most of the time.
 */
export class SegmentBuilder {
  readonly #bytes: Buffer;
  readonly #ends = new Uint32Array(SEGMENT_ROWS);
  readonly #buckets = new Uint8Array(SEGMENT_ROWS);
  #size = 0;
  #rows = 0;

  constructor(bytes = SEGMENT_BYTES) {
    this.#bytes = Buffer.allocUnsafe(bytes);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Returns whether a row surely fits. A UTF-16 code unit takes at most 3 bytes in UTF-8. */
  hasRoomFor(row: string): boolean {
    return this.#rows < SEGMENT_ROWS && this.#bytes.length - this.#size >= row.length * 3;
  }

  add(hash: number, row: string): void {
    this.#size += this.#bytes.write(row, this.#size, "utf8");
    this.#ends[this.#rows] = this.#size;
    this.#buckets[this.#rows] = bucketOf(hash);
    this.#rows += 1;
  }

  /** Returns the collected rows as a segment and empties the builder. */
  take(): Segment {
    const lengths = new Array<number>(BUCKETS).fill(0);
    for (let row = 0; row < this.#rows; row += 1) {
      const bucket = this.#buckets[row] ?? 0;
      lengths[bucket] = (lengths[bucket] ?? 0) + this.#length(row);
    }
    const offsets = [0];
    for (const length of lengths) offsets.push((offsets.at(-1) ?? 0) + length);

    const next = [...offsets];
    const sorted = Buffer.allocUnsafe(this.#size);
    for (let row = 0; row < this.#rows; row += 1) {
      const bucket = this.#buckets[row] ?? 0;
      const at = next[bucket] ?? 0;
      const end = this.#ends[row] ?? 0;
      this.#bytes.copy(sorted, at, end - this.#length(row), end);
      next[bucket] = at + this.#length(row);
    }
    const segment = { bytes: sorted, rows: this.#rows, offsets };
    this.#size = 0;
    this.#rows = 0;
    return segment;
  }

  #length(row: number): number {
    return (this.#ends[row] ?? 0) - (row === 0 ? 0 : (this.#ends[row - 1] ?? 0));
  }
}
