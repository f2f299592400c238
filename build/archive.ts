import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
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

/** An archive with a file of this many bytes is not kept as a whole. */
const LARGE = 8_000_000;
/** A file of this many bytes in such an archive is compressed once and kept. DuckDB's library takes several seconds. */
const WORTH_KEEPING = 50_000;

/**
 * Returns a zip whose bytes depend only on the files: fixed time, entries sorted by name. Keeps archives, and large files
 * compressed, in `cache`, because each plan needs them and compressing takes longer than bundling.
 */
export async function zip(files: ReadonlyMap<string, Uint8Array>, cache: string): Promise<Uint8Array> {
  const entries = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.every(([, content]) => content.length < LARGE)) {
    const options = { level: 9, mtime: earliest(), os: UNIX, attrs: READABLE } as const;
    return kept(cache, `${hashOfAll(entries)}.zip`, () => zipSync(Object.fromEntries(entries), options));
  }
  const pieces: Uint8Array[] = [];
  const archive = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  for (const [name, content] of entries) {
    const entry =
      content.length < WORTH_KEEPING
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

  /** Does not compute the checksum in JavaScript. */
  override push(content: Uint8Array, final = false): void {
    this.size = content.length;
    this.crc = crc32(content);
    this.process(content, final);
  }

  protected override process(_: Uint8Array, final: boolean): void {
    this.ondata(null, this.#bytes, final);
  }
}

/** Compresses with fflate, since Node's zlib gives other bytes on other processors. */
const compressed = (content: Uint8Array, cache: string): Promise<Uint8Array<ArrayBuffer>> =>
  kept(cache, `${hashOfAll([["", content]])}.deflated`, () => deflateSync(content, { level: 6 }));

/** Returns a file of the cache; makes it if it is not there. */
async function kept(
  cache: string,
  name: string,
  make: () => Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = join(cache, name);
  const there = await readFile(file).catch(() => undefined);
  if (there) return there;
  const bytes = make();
  await writeWhole(file, bytes);
  return bytes;
}

function hashOfAll(entries: readonly (readonly [name: string, content: Uint8Array])[]): string {
  const hash = createHash("sha256");
  for (const [name, content] of entries) hash.update(`${name}\0${content.length}\0`).update(content);
  return hash.digest("hex");
}
