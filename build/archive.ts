import { zipSync } from "fflate";

/**
 * The earliest time a zip can hold, in local time: fflate writes the local fields, so the bytes do not depend on the
 * time zone.
 */
const earliest = () => new Date(1980, 0, 1);

/** Unix, `-rw-r--r--`: Lambda refuses to read files without the permission for others. */
const UNIX = 3;
const READABLE = 0o644 << 16;

/** A zip whose bytes follow from the files alone: fixed time, entries in order of their names. */
export function zip(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const entries = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return zipSync(Object.fromEntries(entries), { level: 9, mtime: earliest(), os: UNIX, attrs: READABLE });
}
