const DAY_MS = 24 * 3_600_000;

/** A date and time of day without a time zone. */
export const LOCAL_TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d))?$/;

/** Returns whether this is a time zone of the IANA database, such as Europe/Berlin. */
export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the instant of a local time such as `2026-12-01T09:00`, in milliseconds since 1970; NaN if there is no such day or
 * hour. A time that a change of clocks skips is the one as much later; of two equal ones, it is the first.
 */
export function instantOf(local: string, timeZone: string): number {
  const [, year, month, day, hour = "00", minute = "00"] = LOCAL_TIME.exec(local) ?? [];
  const text = `${year}-${month}-${day}T${hour}:${minute}:00.000Z`;
  const asUtc = Date.parse(text);
  // Date.parse takes February 30 for March 2, and 24:00 for the next day.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString() !== text) return Number.NaN;
  const offsets = [offsetAt(asUtc - DAY_MS, timeZone), offsetAt(asUtc + DAY_MS, timeZone)];
  const fitting = offsets.map((offset) => asUtc - offset).filter((at) => at + offsetAt(at, timeZone) === asUtc);
  return fitting.length > 0 ? Math.min(...fitting) : asUtc - (offsets[0] as number);
}

/** Formats by time zone. Creating one takes longer than everything else here. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  formats.set(timeZone, format);
  return format;
}

/** Returns how many milliseconds the clocks of a time zone are ahead of UTC. */
function offsetAt(instant: number, timeZone: string): number {
  if (timeZone === "UTC") return 0;
  const name =
    formatOf(timeZone)
      .formatToParts(instant)
      .find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = /GMT([+-])(\d+)(?::(\d+))?(?::(\d+))?/.exec(name) ?? [];
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === "-" ? -size : size;
}
