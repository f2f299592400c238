import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { deflateSync, Zip, ZipDeflate, type ZipInputFile, ZipPassThrough } from "fflate";
import { writeWhole } from "./write-whole.ts";

/**
 * Returns the earliest time that a zip can contain, as local time: fflate writes local time, so the bytes do not depend
 * on the time zone.
 */
const earliest = () => new Date(1980, 0, 1);

/** Unix, `-rw-r--r--`: Lambda can only read files that others may read. */
const UNIX = 3;
const READABLE = 0o644 << 16;

/** A file of this many bytes is compressed once and kept, because each plan needs it again. */
const WORTH_KEEPING = 50_000;
/** A file of this many bytes is compressed less well: DuckDB's library takes several seconds as it is. */
const LARGE = 8_000_000;

/**
 * Returns a zip whose bytes depend only on the files: fixed time, entries sorted by name. Keeps compressed files in
 * `cache`: compressing takes longer than bundling, and a change of the configuration changes only small ones.
 */
export async function zip(files: ReadonlyMap<string, Uint8Array>, cache: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const archive = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  for (const [name, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
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

/** Compresses, unless the cache has it. With fflate, since Node's zlib gives other bytes on other processors. */
async function compressed(content: Uint8Array, cache: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = join(cache, `${createHash("sha256").update(content).digest("hex")}.deflated`);
  const there = await readFile(file).catch(() => undefined);
  if (there) return there;
  const bytes = deflateSync(content, { level: content.length < LARGE ? 9 : 6 });
  await writeWhole(file, bytes);
  return bytes;
}
