import { BUCKETS, bucketOf } from "./event-hash.ts";

/** Bytes of rows that are sorted in memory before they are written. The memory is twice that. */
export const SEGMENT_BYTES = 16 * 1_024 * 1_024;

/** Rows kept at most: one needs 8 bytes in the tables of the sort. */
const SEGMENT_ROWS = 500_000;

/** Rows of one object, sorted by bucket: bucket b is bytes `offsets[b]` up to `offsets[b + 1]`. */
export interface Segment {
  bytes: Buffer;
  rows: number;
  offsets: number[];
}

/**
 * Collects rows as bytes and gives them out sorted by bucket, the rows of a bucket in the order they came. Bytes, not
 * strings: 16 MiB of short strings are 60 MiB of heap and most of the time goes into collecting them.
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

  /** Whether a row can be added for sure; UTF-8 has at most 3 bytes a UTF-16 unit. */
  hasRoomFor(row: string): boolean {
    return this.#rows < SEGMENT_ROWS && this.#bytes.length - this.#size >= row.length * 3;
  }

  add(hash: number, row: string): void {
    this.#size += this.#bytes.write(row, this.#size, "utf8");
    this.#ends[this.#rows] = this.#size;
    this.#buckets[this.#rows] = bucketOf(hash);
    this.#rows += 1;
  }

  /** The rows so far as a segment; the builder is empty after it. */
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
