import { isObject, parseJson } from "@relevance/lib/platform/json/values.ts";
import { convert } from "html-to-text";
import { DateTime } from "luxon";

/** How the numbers of a column are written: `1,234.50`, or `1.234,50` as in most of Europe. */
export type Decimal = "point" | "comma";

/** Text allowed around a number: currency signs and codes, percent, spaces. */
const AROUND = /^(?:[A-Z]{3}|[\p{Sc}\s])*|(?:[A-Z]{3}|[\p{Sc}%\s]|\.-|,-)*$/gu;

const POINT = /^-?(?:\d{1,3}(?:[,'’ \u00A0\u202F]\d{3})+|\d+)(?:\.\d+)?$/;
const COMMA = /^-?(?:\d{1,3}(?:[.'’ \u00A0\u202F]\d{3})+|\d+)(?:,\d+)?$/;

/** Returns the number that a cell holds, written in the column's way; undefined if it holds none. */
export function numberOf(text: string, decimal: Decimal): number | undefined {
  const bare = text.trim().replace(AROUND, "").replace(AROUND, "");
  if (!(decimal === "point" ? POINT : COMMA).test(bare)) return undefined;
  const digits = bare.replaceAll(decimal === "point" ? /[,'’\s]/g : /[.'’\s]/g, "");
  return Number(digits.replace(",", "."));
}

/** Returns the decimal separator with which all texts are numbers: the point if both fit, undefined if neither does. */
export function decimalOf(texts: readonly string[]): Decimal | undefined {
  return (["point", "comma"] as const).find((way) => texts.every((text) => numberOf(text, way) !== undefined));
}

/** Digits that are no number: codes with leading zeros, and more digits than a number keeps. */
export const isCode = (text: string) => /^0\d+$/.test(text) || /^\d{16,}$/.test(text);

/** Formats of dates, with those first that leave no doubt. */
const DATE_FORMATS = [
  "yyyy-M-d",
  "yyyy/M/d",
  "yyyyMMdd",
  "d.M.yyyy",
  "d.M.yy",
  "d MMM yyyy",
  "d MMMM yyyy",
  "MMM d, yyyy",
  "MMMM d, yyyy",
  "EEE, d MMM yyyy HH:mm:ss ZZZ",
  "d/M/yyyy",
  "M/d/yyyy",
  "d-M-yyyy",
  "M-d-yyyy",
  "d/M/yy",
  "M/d/yy",
] as const;
const TIMES = ["", " H:mm", " H:mm:ss", " h:mm a"] as const;

/** A format of a column of dates: `iso`, seconds or milliseconds since 1970, or a pattern. */
export type DateFormat = string;

/** Returns the date as ISO 8601, with a time only if the text has one; undefined if it has another format. */
export function dateOf(text: string, format: DateFormat): string | undefined {
  const date =
    format === "iso"
      ? DateTime.fromISO(text.trim().replace(" ", "T"), { setZone: true })
      : format === "seconds" || format === "milliseconds"
        ? DateTime.fromMillis(Number(text) * (format === "seconds" ? 1_000 : 1), { zone: "utc" })
        : DateTime.fromFormat(text.trim(), format, { zone: "utc", locale: "en" });
  if (!date.isValid || date.year < 1 || date.year > 2200) return undefined;
  const hasTime = /[T ]\d?\d:\d\d/.test(text.trim()) || format.endsWith("seconds");
  return hasTime ? (date.toUTC().toISO({ suppressMilliseconds: true }) ?? undefined) : (date.toISODate() ?? undefined);
}

/** Returns the formats of which each fits all texts, at most one a meaning: two only if day and month cannot be told apart. */
export function dateFormatsOf(texts: readonly string[]): DateFormat[] {
  const fits = (format: DateFormat) => texts.every((text) => dateOf(text, format) !== undefined);
  if (texts.every((text) => /^\d{4}-\d\d/.test(text.trim())) && fits("iso")) return ["iso"];
  const formats = DATE_FORMATS.flatMap((day) => TIMES.map((time) => `${day}${time}`)).filter(fits);
  const meanings = new Map(
    formats.toReversed().map((format) => [texts.map((text) => dateOf(text, format)).join(), format]),
  );
  return [...meanings.values()];
}

const TRUTH: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, y: true, t: true, ja: true, oui: true, in_stock: true },
  ...{ false: false, no: false, n: false, f: false, nein: false, non: false, out_of_stock: false },
};

/** Returns the truth value that a cell holds; undefined if it holds none. */
export const truthOf = (text: string): boolean | undefined => TRUTH[text.trim().toLowerCase().replaceAll(" ", "_")];

/** Returns whether a text has tags of HTML. */
export const isHtml = (text: string) =>
  /<\/?(?:p|br|div|span|ul|ol|li|b|i|strong|em|h[1-6]|a|table)\b[^>]*>/i.test(text);

/** Returns the text of HTML, as somebody reads it: without tags, addresses of links and pictures. */
export function textOfHtml(html: string): string {
  const selectors = [
    { selector: "a", options: { ignoreHref: true } },
    { selector: "img", format: "skip" },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
  ];
  return convert(html, { wordwrap: false, selectors })
    .replaceAll(/\n{2,}/g, "\n")
    .trim();
}

/** Signs between the elements of a list in a cell, the clearest first. */
export const LIST_SEPARATORS = ["|", ";", ", ", ",", " > "] as const;

/**
 * Returns the elements of a list in a cell: a JSON array, of whose objects the names count, or texts with a separator
 * between them.
 */
export function listOf(text: string, separator: string): string[] {
  const elements =
    separator === "json" ? (parseJson(text) ?? parseJson(text.replaceAll("'", '"'))) : text.split(separator);
  if (!Array.isArray(elements)) return [];
  return elements.map(nameOf).filter((one) => one !== "");
}

const nameOf = (element: unknown): string =>
  (isObject(element) ? String(element.name ?? element.title ?? JSON.stringify(element)) : String(element)).trim();
