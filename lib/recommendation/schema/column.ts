import { COLUMN_TYPES, type ColumnType } from "../../platform/contract/recommendation.ts";
import { isNoValue, readValue } from "../records/value.ts";
import { DistinctCounter } from "./distinct-counter.ts";
import type { RowPosition, Value } from "./row.ts";

/** If the estimated count is at least this share of the values, all values count as distinct: six standard errors. */
const UNIQUE_RATIO = 0.97;

/** If at most this share of the values are not numbers, the column is probably meant to be numeric. */
const ODD_RATIO = 0.1;

/** The most different non-numeric values to keep. A column with more of them probably holds text. */
const ODD_TEXTS = 5;

/** Non-numeric values in a numeric column. */
interface Oddities {
  count: number;
  first: { text: string; place: RowPosition };
  /** All distinct values if they are few. */
  texts: string[];
}

/** Statistics of one column, collected while its file is read. They take bounded memory. */
export class Column {
  readonly name: string;
  #type: ColumnType = "int";
  #values = 0;
  /** Non-numeric values: their number, the first one, and one more distinct one than is shown. */
  #odd: { count: number; first?: Oddities["first"]; texts: Set<string> } = { count: 0, texts: new Set() };
  #multiple = false;
  #distinct = new DistinctCounter();

  constructor(name: string) {
    this.name = name;
  }

  /** Adds a value, with the position of its row. */
  add(value: Value, place: RowPosition): void {
    if (value === undefined) return;
    const text = String(value);
    this.#values += 1;
    const type = columnType(text);
    this.#type = widest(this.#type, type);
    if (type === "string") {
      this.#odd.count += 1;
      this.#odd.first ??= { text, place };
      if (this.#odd.texts.size <= ODD_TEXTS) this.#odd.texts.add(text);
    }
    if (!this.#multiple && text.includes("|")) this.#multiple = true;
    this.#distinct.add(text);
  }

  /** The inferred type, or "string" if the column has no values. */
  get type(): ColumnType {
    return this.#values === 0 ? "string" : this.#type;
  }

  /** The number of rows in which the column has a value. */
  get values(): number {
    return this.#values;
  }

  /** The non-numeric values, if nearly all are numbers, or if all others are words for "no value". */
  get oddities(): Oddities | undefined {
    const { count, first, texts } = this.#odd;
    if (!first || count === this.#values) return undefined;
    const few = texts.size <= ODD_TEXTS ? [...texts] : [];
    const areNone = few.length > 0 && few.every(isNoValue);
    return areNone || count <= this.#values * ODD_RATIO ? { count, first, texts: few } : undefined;
  }

  /** Whether any cell holds several values, joined by a vertical bar. */
  get multiple(): boolean {
    return this.#multiple;
  }

  /**
   * Returns whether the values are categories: texts that hold several values, or texts with at most half as many
   * distinct values as there are rows, unless all values are distinct.
   */
  isCategorical(rows: number): boolean {
    if (this.type !== "string" || this.#values === 0) return false;
    if (this.#multiple) return true;
    const { count, exact } = this.#distinct;
    const unique = exact ? count === this.#values : count >= this.#values * UNIQUE_RATIO;
    return !unique && count <= rows / 2;
  }
}

/** Allows no leading zeros: "007" is an identifier, and a number would lose its zeros. */
const WHOLE = /^-?(?:0|[1-9]\d{0,18})$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

/** Returns the narrowest type whose columns accept the value as written. */
export function columnType(text: string): ColumnType {
  const first = text.charCodeAt(0);
  // A fast path: most texts start with neither a digit nor a minus sign.
  if ((first < 48 || first > 57) && first !== 45) return "string";
  if (WHOLE.test(text)) {
    // Nine digits fit an Avro int.
    if (text.length <= 9 || fits("int", text)) return "int";
    return fits("long", text) ? "long" : "string";
  }
  return text.length < 40 && /[.eE]/.test(text) && NUMBER.test(text) && fits("float", text) ? "float" : "string";
}

/** Returns whether the service accepts the value in a column of this type. */
function fits(type: ColumnType, text: string): boolean {
  const read = readValue(type, text, 0);
  return read !== undefined && "value" in read;
}

/**
 * Returns the narrower type that can hold both. Ignores that a float's 24 bits cannot hold every whole number exactly.
 */
function widest(a: ColumnType, b: ColumnType): ColumnType {
  return COLUMN_TYPES.indexOf(a) > COLUMN_TYPES.indexOf(b) ? a : b;
}
