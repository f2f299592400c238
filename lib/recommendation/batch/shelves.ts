import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Characters buffered in memory before they are written. */
const MAX_WAITING = 16_000_000;

/**
 * Splits lines into files ("shelves") by a hash of the user. All lines of some users can then be read at once in
 * bounded memory, whatever the order of the input.
 */
export class Shelves {
  readonly #folder: string;
  readonly #count: number;
  readonly #waiting = new Map<string, string[]>();
  #size = 0;

  constructor(folder: string, count: number) {
    this.#folder = folder;
    this.#count = count;
  }

  /** Adds a line. `kind` tells lines of different meaning about the same user apart. */
  add(kind: string, userId: string, line: string): void {
    const shelf = createHash("md5").update(userId).digest().readUInt32BE() % this.#count;
    const file = this.#file(kind, shelf);
    const lines = this.#waiting.get(file);
    if (lines) lines.push(line);
    else this.#waiting.set(file, [line]);
    this.#size += line.length;
    if (this.#size > MAX_WAITING) this.flush();
  }

  /** Writes the buffered lines. */
  flush(): void {
    for (const [file, lines] of this.#waiting) appendFileSync(file, lines.map((line) => `${line}\n`).join(""));
    this.#waiting.clear();
    this.#size = 0;
  }

  /** Yields the lines of a kind, shelf by shelf. The lines of one user are always on the shelf with the same index. */
  *read(kind: string): Generator<string[]> {
    for (let shelf = 0; shelf < this.#count; shelf += 1) yield this.linesOf(kind, shelf);
  }

  linesOf(kind: string, shelf: number): string[] {
    const file = this.#file(kind, shelf);
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  }

  #file(kind: string, shelf: number): string {
    return join(this.#folder, `${kind}-${shelf}`);
  }
}
