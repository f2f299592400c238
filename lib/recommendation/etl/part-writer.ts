import type { ObjectStore } from "./object-store.ts";

/** Bytes after which a file ends and the next begins. */
export const PART_BYTES = 32 * 1_024 * 1_024;

/** Text is turned to bytes in pieces of this many characters: long strings made of many are slow to encode. */
const PIECE = 64 * 1_024;

/** One file that was written. */
export interface PartFile {
  key: string;
  rows: number;
  bytes: number;
}

/** Writes lines of CSV to files of bounded size, each with the header and each put as a whole. */
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

  /** Adds a line without its end. Full when `isFull`: then `flush` before adding more. */
  add(line: string): void {
    this.#text += `${line}\n`;
    this.#rows += 1;
    if (this.#text.length >= PIECE) this.#encode();
  }

  get isFull(): boolean {
    return this.#bytes >= this.#partBytes;
  }

  /** Writes what was added since the last file, if anything. */
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
