/** The most hashes to keep. At about 16 bytes each, they take 1 MB a column. */
const CAPACITY = 65_536;

/**
 * Counts distinct texts in bounded memory. The count is exact up to 65,536. Beyond that it is estimated by adaptive
 * sampling (Wegman's method; P. Flajolet, "On adaptive sampling", 1990), with a standard error of 1.2/√65,536 = 0.5 %.
 */
export class DistinctCounter {
  readonly #hashes = new Set<number>();
  #level = 0;

  add(text: string): void {
    const hash = hash52(text);
    if (!this.#sampled(hash)) return;
    this.#hashes.add(hash);
    while (this.#hashes.size > CAPACITY) {
      this.#level += 1;
      for (const kept of this.#hashes) if (!this.#sampled(kept)) this.#hashes.delete(kept);
    }
  }

  /** The number of distinct texts. It is an estimate if `exact` is false. */
  get count(): number {
    return this.#hashes.size * 2 ** this.#level;
  }

  get exact(): boolean {
    return this.#level === 0;
  }

  /**
   * Returns whether to keep a hash. Each level keeps half the hashes of the last: those whose lowest `level` bits are
   * zero.
   */
  #sampled(hash: number): boolean {
    return hash % 2 ** this.#level === 0;
  }
}

/** Returns a 52-bit hash: two multiplicative lanes over the characters, mixed as in MurmurHash3's finalizer. */
function hash52(text: string): number {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x5f356495);
  }
  low = mix(low ^ text.length);
  high = mix(high ^ low);
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}

function mix(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}
