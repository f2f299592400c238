import { zipSync } from "fflate";

/**
 * Returns the earliest time that a zip can contain, as local time: fflate writes local time, so the bytes do not depend
 * on the time zone.
 */
const earliest = () => new Date(1980, 0, 1);

/** Unix, `-rw-r--r--`: Lambda can only read files that others may read. */
const UNIX = 3;
const READABLE = 0o644 << 16;

/** Returns a zip whose bytes depend only on the files: fixed time, entries sorted by name. */
export function zip(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const entries = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return zipSync(Object.fromEntries(entries), { level: 9, mtime: earliest(), os: UNIX, attrs: READABLE });
}
