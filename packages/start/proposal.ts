import { basename } from "node:path";
import { UsageError } from "@relevance/lib/platform/failure.ts";
import { franc } from "franc-min";
import { type Column, columnsOf, isFilled } from "./columns.ts";
import { Question } from "./question.ts";
import type { Row, Table } from "./rows.ts";

/** The user's answers, which override what was recognized. */
export interface Answers {
  index?: string | undefined;
  /** Names of columns. */
  id?: string | undefined;
  title?: string | undefined;
  /** Whether 3/4/2024 is the third of April. */
  dates?: "day-first" | "month-first" | undefined;
}

/** Proposal for a file. */
export interface Proposal {
  index: string;
  columns: readonly Column[];
  /** The column with the ids. Without one, an id is computed of the row. */
  id: Column | undefined;
  title: Column;
  /** Columns whose texts are searched, the title first; those that embeddings are made of. */
  texts: readonly Column[];
  /** Columns to filter by: few different values, or numbers, dates and truth values. */
  facets: readonly Column[];
  price: Column | undefined;
  image: Column | undefined;
  link: Column | undefined;
  /** The analyzer of texts: english, german … or standard. */
  analyzer: string;
}

/** Rows from which types are recognized. */
const SAMPLE = 2_000;
/** Fields that embeddings are made of. */
const MOST_TEXTS = 4;
const MOST_FACETS = 6;
/** Different values of a column that a page can list. */
const MOST_VALUES = 200;

/** Returns what to make of a file. Throws a Question if the file does not say. */
export function propose(file: string, { rows }: Pick<Table, "rows">, answers: Answers): Proposal {
  const sample = rows.slice(0, SAMPLE);
  const columns = columnsOf(sample).map((column) => withDates(column, answers));
  const title = titleOf(columns, answers);
  const id = idOf(columns, rows, answers);
  const others = columns.filter((column) => column !== title && column !== id);
  const long = others
    .filter(({ type }) => type === "text")
    .toSorted((one, other) => other.length * other.filled - one.length * one.filled);
  const texts = [title, ...long.slice(0, MOST_TEXTS - 1)];
  const named = (names: RegExp, ...types: Column["type"][]) =>
    others.find(({ field, type }) => types.includes(type) && names.test(field));
  const price = named(/price|preis|prix|precio|cost|amount|salary|(?:^|_|-)vk(?:$|_|-)/i, "double", "long");
  const image = named(/image|img|picture|photo|thumb|cover|bild|poster/i, "stored");
  return {
    ...{ index: answers.index ?? indexOf(file), columns, id, title, texts },
    facets: facetsOf(
      others.filter((column) => !texts.includes(column)),
      sample.length,
      price,
    ),
    price,
    image,
    link: others.find(
      (column) => column.type === "stored" && column !== image && /url|link|href|page/i.test(column.field),
    ),
    analyzer: analyzerOf(sample, texts),
  };
}

/** Returns the name of the index: that of the file, as OpenSearch allows it. */
function indexOf(file: string): string {
  const name = basename(file)
    .replace(/\.[^.]*(?:\.gz)?$/i, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? "documents" : name;
}

function withDates(column: Column, { dates: order }: Answers): Column {
  const { dates = [], path } = column;
  if (dates.length < 2) return column;
  const first = order === "day-first" ? /^d/ : /^M/;
  const chosen = order && dates.filter((format) => first.test(format));
  if (chosen?.length === 1) return { ...column, dates: chosen };
  throw new Question(`Is 3/4/2024 in the column ${path} the third of April, or the fourth of March?`, "dates", [
    "day-first",
    "month-first",
  ]);
}

function named(columns: readonly Column[], name: string): Column {
  const found = columns.find(({ path, field }) => path === name || field === name);
  if (found) return found;
  throw new UsageError(`There is no column ${name}. There are ${columns.map(({ path }) => path).join(", ")}`);
}

const TITLES = [
  /^(?:title|titel|titre|t[ií]tulo|titolo)$/i,
  /^(?:name|product_?name|produktname|headline|label|heading|subject)$/i,
  /(?:title|name)$/i,
];

function titleOf(columns: readonly Column[], { title }: Answers): Column {
  if (title !== undefined) return { ...named(columns, title), type: "text" };
  const readable = columns.filter(({ type, list }) => (type === "text" || type === "keyword") && list === undefined);
  const byName = TITLES.flatMap((names) => readable.filter(({ field }) => names.test(field.split(".").at(-1) ?? "")));
  const texts = readable.filter(({ type, html, length }) => type === "text" && !html && length <= 120);
  const [found] = [...byName, ...texts, ...readable.filter(({ type }) => type === "text")];
  if (found) return Object.assign(found, { type: "text" });
  if (readable.length === 0) throw new UsageError("The file has no column with text to search");
  throw new Question(
    "Which column is the title?",
    "title",
    readable.map(({ path }) => path),
  );
}

const IDS = [
  /^(?:_?id|objectid|uuid|guid)$/i,
  /^(?:sku|asin|isbn\d*|ean|gtin|handle|slug|key)$/i,
  /(?:[_-]id|Id|number|nummer|[_-]no|[_-]nr)$/i,
];

function idOf(columns: readonly Column[], rows: readonly Row[], { id }: Answers): Column | undefined {
  if (id !== undefined) {
    const column = named(columns, id);
    const twice = firstTwice(column, rows);
    if (twice === undefined) return column;
    throw new UsageError(`${id} is no id: ${twice}`);
  }
  const short = columns.filter(
    ({ path, filled, type, length }) =>
      !path.includes(".") && filled === 1 && length <= 64 && type !== "date" && type !== "boolean",
  );
  return IDS.flatMap((names) => short.filter(({ field }) => names.test(field))).find(
    (column) => firstTwice(column, rows) === undefined,
  );
}

/** Returns why a column is not a unique id: its first repeated value; undefined if it is unique. */
function firstTwice({ path }: Column, rows: readonly Row[]): string | undefined {
  const seen = new Set<string>();
  for (const [at, row] of rows.entries()) {
    const value = row[path];
    if (!isFilled(value) || typeof value === "object") return `row ${at + 1} has none`;
    if (seen.has(String(value))) return `${value} comes twice`;
    seen.add(String(value));
  }
  return undefined;
}

function facetsOf(columns: readonly Column[], rows: number, price: Column | undefined): Column[] {
  const rank = ({ type, list, filled }: Column) => filled + (list !== undefined || type === "keyword" ? 1 : 0);
  return columns
    .filter((column) => {
      const { type, distinct, filled, path } = column;
      if (filled < 0.1 || distinct < 2) return false;
      if (type === "keyword") return distinct <= MOST_VALUES && distinct <= Math.max(10, rows / 2);
      return column === price || type === "boolean" || ((type === "double" || type === "date") && !path.includes("."));
    })
    .toSorted((one, other) => rank(other) - rank(one))
    .slice(0, MOST_FACETS);
}

/** Analyzers of OpenSearch by ISO 639-3. */
const ANALYZERS: Readonly<Record<string, string>> = {
  ...{ eng: "english", deu: "german", fra: "french", spa: "spanish", ita: "italian", por: "portuguese", nld: "dutch" },
  ...{ rus: "russian", swe: "swedish", tur: "turkish", hun: "hungarian", ron: "romanian", ces: "czech", ell: "greek" },
  ...{
    arb: "arabic",
    hin: "hindi",
    ben: "bengali",
    ind: "indonesian",
    tha: "thai",
    jpn: "cjk",
    kor: "cjk",
    cmn: "cjk",
  },
};

/** Characters from which the language is recognized. */
const LANGUAGE_SAMPLE = 20_000;

function analyzerOf(sample: readonly Row[], texts: readonly Column[]): string {
  const words = sample.flatMap((row) =>
    texts.map(({ path }) => row[path]).filter((value) => typeof value === "string"),
  );
  // Each word once: titles such as "Lamp 1", "Lamp 2" repeat too few words to tell a language by.
  const text = [...new Set(words.join(" ").slice(0, LANGUAGE_SAMPLE).split(/\s+/))].join(" ");
  return ANALYZERS[franc(text, { minLength: 200 })] ?? "standard";
}
