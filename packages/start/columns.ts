import { isObject } from "@relevance/lib/platform/json/values.ts";
import type { Row } from "./rows.ts";
import {
  type DateFormat,
  type Decimal,
  dateFormatsOf,
  decimalOf,
  isCode,
  isHtml,
  LIST_SEPARATORS,
  listOf,
  numberOf,
  truthOf,
} from "./values.ts";

/** How OpenSearch stores a column. `stored` is kept and shown, and not searched: addresses of pages and pictures. */
type FieldType = "text" | "keyword" | "long" | "double" | "boolean" | "date" | "stored";

/** A column of the file, with what its sample says about it. */
export interface Column {
  /** Its name in the file; of an object in an object with dots. */
  path: string;
  /** The name of its field in the index. */
  field: string;
  type: FieldType;
  /** Of numbers that are written as text. */
  decimal?: Decimal;
  /** Of dates. Several if day and month cannot be told apart: somebody has to say which. */
  dates?: readonly DateFormat[];
  /** Of a list in a cell: the separator of its elements, or `json`. */
  list?: string;
  /** Whether its texts are HTML. */
  html?: true;
  /** Share of rows that have a value. */
  filled: number;
  /** Different values in the sample. */
  distinct: number;
  /** Characters of a value, on average. */
  length: number;
}

/** Words that say that there is no value. */
const EMPTY: ReadonlySet<string> = new Set(["", "null", "none", "n/a", "na", "nan", "-", "–", "—", "undefined", "\\n"]);

/** Returns whether a value says something. */
export const isFilled = (value: unknown): boolean =>
  typeof value === "string" ? !EMPTY.has(value.trim().toLowerCase()) : value !== undefined && value !== null;

/** Values of the sample that may be of another type, as every file has some. */
const EXCEPTIONS = 0.02;

/** Above this number of characters, on average, a text is searched by its words. */
const NAME_LENGTH = 25;

/** Returns the columns of a sample, in the order in which they appear. */
export function columnsOf(sample: readonly Row[]): Column[] {
  const values = new Map<string, unknown[]>();
  for (const row of sample) collect(row, "", values);
  // A field holds objects or values: of a column with both, or with no value beside its objects, the more frequent stays.
  const paths = [...values.keys()];
  for (const path of paths) {
    const inside = paths.filter((other) => other.startsWith(`${path}.`));
    const most = Math.max(0, ...inside.map((other) => values.get(other)?.length ?? 0));
    const isParent = inside.length > 0 && most >= (values.get(path)?.length ?? 0);
    for (const left of isParent ? [path] : inside) values.delete(left);
  }
  const taken = new Set<string>();
  return [...values].map(([path, found]) => columnOf(path, fieldOf(path, taken), found, sample.length));
}

function collect(row: Row, prefix: string, values: Map<string, unknown[]>): void {
  for (const [name, value] of Object.entries(row)) {
    const path = `${prefix}${name}`;
    if (isObject(value)) collect(value, `${path}.`, values);
    else if (Array.isArray(value) && value.some(isObject)) {
      for (const one of value) if (isObject(one)) collect(one, `${path}.`, values);
    } else {
      const found = values.get(path) ?? [];
      values.set(path, found);
      if (isFilled(value)) found.push(value);
    }
  }
}

/** Returns a name that templates and facets can use: letters, digits and `_`, with dots between objects. */
function fieldOf(path: string, taken: Set<string>): string {
  const plain = path
    .split(".")
    .map((name) =>
      name
        .trim()
        .replaceAll(/[^\p{L}\p{N}_-]+/gu, "_")
        .replaceAll(/^_+|_+$/g, ""),
    )
    .filter((name) => name !== "")
    .join(".");
  const name = /[A-Z ]/.test(path) && path.includes(" ") ? plain.toLowerCase() : plain || "column";
  let field = name;
  for (let next = 2; taken.has(field); next += 1) field = `${name}_${next}`;
  taken.add(field);
  return field;
}

function columnOf(path: string, field: string, values: readonly unknown[], rows: number): Column {
  const flat = values.flat().filter(isFilled);
  const texts = flat.map(String);
  const facts = {
    ...{ path, field, filled: rows === 0 ? 0 : values.length / rows, distinct: new Set(texts).size },
    length: texts.reduce((sum, text) => sum + text.length, 0) / Math.max(1, texts.length),
  };
  const isList = values.some(Array.isArray);
  return { ...facts, ...typeOf(field, flat, texts, { ...facts, isList }) };
}

type Typed = Pick<Column, "type" | "decimal" | "dates" | "list" | "html">;

function typeOf(
  name: string,
  values: readonly unknown[],
  texts: readonly string[],
  { length, distinct, isList }: Pick<Column, "length" | "distinct"> & { isList: boolean },
): Typed {
  if (texts.length === 0) return { type: "keyword" };
  if (values.every((value) => typeof value === "boolean")) return { type: "boolean" };
  if (values.every((value) => typeof value === "number")) return numbers(name, values as number[]);
  if (isList && length <= NAME_LENGTH) return { type: "keyword" };
  const { kept: truths } = most(texts, (text) => truthOf(text) !== undefined);
  if (truths && distinct <= 4) return { type: "boolean" };
  if (texts.some(isCode)) return { type: "keyword" };
  const number = most(texts, (text) => numberOf(text, "point") !== undefined || numberOf(text, "comma") !== undefined);
  const decimal = number.kept && decimalOf(number.kept);
  if (number.kept && decimal) {
    if (isIdentifier(name)) return { type: "keyword" };
    const read = number.kept.map((text) => numberOf(text, decimal) as number);
    return { ...numbers(name, read), decimal };
  }
  const dated = most(texts, (text) => /\d/.test(text) && text.length <= 40 && dateFormatsOf([text]).length > 0);
  const dates = dated.kept ? dateFormatsOf(dated.kept) : [];
  if (dates.length > 0) return { type: "date", dates };
  if (texts.every((text) => /^(?:https?:)?\/\/\S+$/.test(text.trim()))) return { type: "stored" };
  if (texts.filter(isHtml).length > texts.length / 10) return { type: "text", html: true };
  const list = listSeparatorOf(name, texts);
  if (list !== undefined) return { type: "keyword", list };
  return {
    type:
      length > NAME_LENGTH || (texts.some((text) => text.includes(" ")) && distinct > texts.length / 2)
        ? "text"
        : "keyword",
  };
}

/** Names of columns whose digits count nothing. */
const isIdentifier = (name: string) =>
  /[a-z](?:ID|Id|No|Nr|Code)$/.test(name) ||
  /(?:^|[_.])(?:id|sku|isbn|ean|gtin|upc|barcode|mpn|asin|code|zip|zipcode|postal|plz|phone)\d*$/i.test(name);

function numbers(name: string, values: readonly number[]): Typed {
  const inMillis = values.every((value) => value > 3e11 && value < 5e12 && Number.isInteger(value));
  const inSeconds = values.every((value) => value > 3e8 && value < 5e9 && Number.isInteger(value));
  const isDate = /(?:date|time|timestamp|_at|_on|created|updated|published)$/i.test(name);
  if (isDate && inMillis) return { type: "date", dates: ["milliseconds"] };
  if (isDate && inSeconds) return { type: "date", dates: ["seconds"] };
  return {
    type:
      values.every(Number.isSafeInteger) && !/price|amount|cost|rating|score|weight/i.test(name) ? "long" : "double",
  };
}

/** Returns the texts that fit, if all but a few do. */
function most(texts: readonly string[], fits: (text: string) => boolean): { kept?: string[] } {
  const kept = texts.filter(fits);
  return texts.length - kept.length <= texts.length * EXCEPTIONS && kept.length > 0 ? { kept } : {};
}

/** Names of columns that hold lists. */
const LISTS = /tag|categor|kategorie|keyword|schlagw|genre|label|topic|colou?rs|sizes/i;

/** Returns the separator of the elements of lists: many cells have it, and the elements are short and come again. */
function listSeparatorOf(name: string, texts: readonly string[]): string | undefined {
  if (most(texts, (text) => /^\[.*\]$/s.test(text.trim())).kept) return "json";
  return LIST_SEPARATORS.find((separator) => {
    const split = texts.filter((text) => text.includes(separator));
    if (split.length < texts.length * 0.1) return false;
    const elements = texts.flatMap((text) => listOf(text, separator));
    const isShort = elements.reduce((sum, one) => sum + one.length, 0) / elements.length <= NAME_LENGTH;
    const isClear = !separator.startsWith(",") || LISTS.test(name);
    const comesAgain = new Set(elements).size <= elements.length * 0.6;
    return isShort && (isClear || (comesAgain && elements.every((one) => one.split(/\s+/).length <= 4)));
  });
}
