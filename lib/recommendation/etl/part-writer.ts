import type { ObjectStore } from "./object-store.ts";

/** The size in bytes at which a file ends and the next one begins. */
export const PART_BYTES = 32 * 1_024 * 1_024;

/** Text is encoded in pieces of this many characters, because long concatenated strings are slow to encode. */
const PIECE = 64 * 1_024;

/** A file that was written. */
export interface PartFile {
  key: string;
  rows: number;
  bytes: number;
}

/** Writes CSV lines to files of limited size. Each file has a header and is written in one call. */
export class PartWriter {
  readonly files: PartFile[] = [];
  readonly #store: ObjectStore;
  readonly #header: string;
  readonly #keyOf: (part: number) => string;
  readonly #partBytes: number;
  #pieces: Buffer[] = [];
  #text = "";
  #bytes = 0;
  #rows = 0;

  constructor(store: ObjectStore, header: string, keyOf: (part: number) => string, partBytes = PART_BYTES) {
    this.#store = store;
    this.#header = header;
    this.#keyOf = keyOf;
    this.#partBytes = partBytes;
  }

  /** Adds a line, given without its line break. Call `flush` before adding more once `isFull` is true. */
  add(line: string): void {
    this.#text += `${line}\n`;
    this.#rows += 1;
    if (this.#text.length >= PIECE) this.#encode();
  }

  get isFull(): boolean {
    return this.#bytes >= this.#partBytes;
  }

  /** Writes the lines added since the last file, if any. */
  async flush(): Promise<void> {
    if (this.#rows === 0) return;
    this.#encode();
    const body = Buffer.concat([Buffer.from(`${this.#header}\n`), ...this.#pieces]);
    const key = this.#keyOf(this.files.length);
    await this.#store.write(key, body);
    this.files.push({ key, rows: this.#rows, bytes: body.length });
    this.#pieces = [];
    this.#bytes = 0;
    this.#rows = 0;
  }

  #encode(): void {
    const piece = Buffer.from(this.#text);
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#text = "";
  }
}
