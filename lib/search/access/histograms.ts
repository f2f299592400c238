import { isObject } from "../../platform/json/values.ts";
import { type Refusal, refusal } from "./names.ts";
import type { Rights } from "./rights.ts";

type Histogram = Readonly<Record<string, unknown>>;

const DAY_MS = 86_400_000;

/** Milliseconds of the units of date math and intervals. Months and years count with their shortest length. */
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  H: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
  M: 28 * DAY_MS,
  q: 90 * DAY_MS,
  y: 365 * DAY_MS,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 28 * DAY_MS,
  quarter: 90 * DAY_MS,
  year: 365 * DAY_MS,
};

/**
 * Returns why a `histogram` or `date_histogram` of a limited key is refused. Without `min_doc_count`, the cluster
 * creates every empty bucket between the lowest and the highest value before it counts: two documents with the values 1
 * and 100 and an interval of 1e-7 crash a node. So the range must be given, or the interval must be at least a day,
 * since dates are rarely millions of days apart.
 */
export function histogramRefusal(
  kind: "histogram" | "date_histogram",
  member: unknown,
  { limited, limits }: Rights,
): Refusal | undefined {
  const max = limits.aggregation_size;
  if (!limited || max === undefined || !isObject(member)) return undefined;
  const interval = kind === "histogram" ? Number(member.interval) : intervalOf(member);
  // Without an interval, it is a field of this name, or an aggregation that the cluster rejects.
  if (!["interval", "calendar_interval", "fixed_interval"].some((name) => name in member)) return undefined;
  if (Number(member.min_doc_count) >= 1) return undefined;
  const boundOf = kind === "histogram" ? (bound: unknown) => (typeof bound === "number" ? bound : Number.NaN) : dateOf;
  const fits = (bounds: unknown) => isObject(bounds) && (boundOf(bounds.max) - boundOf(bounds.min)) / interval <= max;
  const isCoarse = kind === "date_histogram" && interval >= DAY_MS;
  const isBounded = member.hard_bounds === undefined ? isCoarse : fits(member.hard_bounds);
  if (interval > 0 && isBounded && (member.extended_bounds === undefined || fits(member.extended_bounds)))
    return undefined;
  return refusal(
    "limit",
    `${kind} may make more empty buckets than the limit of this key, ${max.toLocaleString("en")} ` +
      "(limits.aggregation_size in api.yaml): add min_doc_count: 1, or hard_bounds with min and max",
  );
}

/** Returns the milliseconds of an interval such as `month`, `1M` or `90m`; NaN for anything else. */
function intervalOf({ calendar_interval, fixed_interval, interval }: Histogram): number {
  const [, count, unit = ""] = /^(\d*)([a-zA-Z]+)$/.exec(String(calendar_interval ?? fixed_interval ?? interval)) ?? [];
  return Number(count || 1) * (UNITS[unit] ?? Number.NaN);
}

/** Returns the milliseconds of a date: a number, ISO 8601 with a four-digit year, or `now-30d/d`. */
function dateOf(date: unknown): number {
  if (typeof date === "number") return date;
  const text = String(date);
  if (/^\d{4}-\d\d(-\d\d(T[\d:.]+Z?)?)?$/.test(text)) return Date.parse(text);
  const [now, sign = "+", count = 0, unit = "ms"] =
    /^now(?:([-+])(\d{1,5})([yMwdhHms]))?(?:\/[yMwdhHms])?$/.exec(text) ?? [];
  // A month and a year are longer than their unit above.
  return now === undefined ? Number.NaN : Date.now() + Number(`${sign}1`) * Number(count) * (UNITS[unit] ?? 0) * 1.11;
}
