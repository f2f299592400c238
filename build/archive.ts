import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync, Zip, ZipDeflate, type ZipInputFile, ZipPassThrough, zipSync } from "fflate";
import { writeWhole } from "./write-whole.ts";

/**
 * Returns the earliest time that a zip can contain, as local time: fflate writes local time, so the bytes do not depend
 * on the time zone.
 */
const earliest = () => new Date(1980, 0, 1);

/** Unix, `-rw-r--r--`: Lambda can only read files that others may read. */
const UNIX = 3;
const READABLE = 0o644 << 16;

/** A file of this many bytes is compressed once and kept. DuckDB's library takes several seconds. */
const LARGE = 8_000_000;

/**
 * Returns a zip whose bytes depend only on the files: fixed time, entries sorted by name. Keeps large files compressed
 * in `cache`.
 */
export async function zip(files: ReadonlyMap<string, Uint8Array>, cache: string): Promise<Uint8Array> {
  const entries = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.every(([, content]) => content.length < LARGE)) {
    return zipSync(Object.fromEntries(entries), { level: 9, mtime: earliest(), os: UNIX, attrs: READABLE });
  }
  const pieces: Uint8Array[] = [];
  const archive = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  for (const [name, content] of entries) {
    const entry =
      content.length < LARGE
        ? new ZipDeflate(name, { level: 9 })
        : new Compressed(name, await compressed(content, cache));
    archive.add(Object.assign<ZipInputFile, object>(entry, { mtime: earliest(), os: UNIX, attrs: READABLE }));
    entry.push(content, true);
  }
  archive.end();
  return Buffer.concat(pieces);
}

/** An entry whose compressed bytes are known. */
class Compressed extends ZipPassThrough {
  override compression = 8;
  readonly #bytes: Uint8Array<ArrayBuffer>;

  constructor(name: string, bytes: Uint8Array<ArrayBuffer>) {
    super(name);
    this.#bytes = bytes;
  }

  protected override process(_: Uint8Array, final: boolean): void {
    this.ondata(null, this.#bytes, final);
  }
}

/** Compresses with fflate, since Node's zlib gives other bytes on other processors. */
async function compressed(content: Uint8Array, cache: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = join(cache, `${createHash("sha256").update(content).digest("hex")}.deflated`);
  const kept = await readFile(file).catch(() => undefined);
  if (kept) return kept;
  const bytes = deflateSync(content, { level: 6 });
  await writeWhole(file, bytes);
  return bytes;
}
