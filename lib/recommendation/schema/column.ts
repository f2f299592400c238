import { COLUMN_TYPES, type ColumnType } from "../../core/contract/recommendation.ts";
import { DistinctCounter } from "./distinct-counter.ts";
import type { Value } from "./row.ts";

/** If the estimated count is at least this share of the values, all values count as distinct: six standard errors. */
const UNIQUE_RATIO = 0.97;

/** If at most this share of the values are not numbers, the column is probably meant to be one of numbers. */
const ODD_RATIO = 0.1;

/** Statistics of one column, collected while its file is read. They take bounded memory. */
export class Column {
  readonly name: string;
  #type: ColumnType = "int";
  #values = 0;
  /** The values that are not numbers. */
  #texts: { count: number; first?: { text: string; line: number } } = { count: 0 };
  #multiple = false;
  #distinct = new DistinctCounter();

  constructor(name: string) {
    this.name = name;
  }

  /** Adds the value of the row that ends on this line. */
  add(value: Value, line: number): void {
    if (value === undefined) return;
    const text = String(value);
    this.#values += 1;
    const type = columnType(text);
    this.#type = widest(this.#type, type);
    if (type === "string") this.#texts = { count: this.#texts.count + 1, first: this.#texts.first ?? { text, line } };
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

  /** The number of values that are not numbers, and the first of them, if nearly all are numbers. */
  get oddities(): { count: number; first: { text: string; line: number } } | undefined {
    const { count, first } = this.#texts;
    return first && count <= this.#values * ODD_RATIO ? { count, first } : undefined;
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

const MAX_INT = 2_147_483_647n;
const MAX_LONG = 9_223_372_036_854_775_807n;

/** Allows no leading zeros: "007" is an identifier, and a number would lose its zeros. */
const WHOLE = /^-?(?:0|[1-9]\d{0,18})$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

/** Returns the narrowest type that can hold the value as written. */
export function columnType(text: string): ColumnType {
  const first = text.charCodeAt(0);
  // A fast path: most texts start with neither a digit nor a minus sign.
  if ((first < 48 || first > 57) && first !== 45) return "string";
  if (WHOLE.test(text)) {
    // Nine digits always fit, so the common case needs no BigInt.
    if (text.length <= 9) return "int";
    const value = BigInt(text);
    if (value >= -MAX_INT - 1n && value <= MAX_INT) return "int";
    return value >= -MAX_LONG - 1n && value <= MAX_LONG ? "long" : "string";
  }
  return text.length < 40 && /[.eE]/.test(text) && NUMBER.test(text) ? "float" : "string";
}

/**
 * Returns the narrower type that can hold both. Ignores that a float's 24 bits cannot hold every whole number exactly.
 */
function widest(a: ColumnType, b: ColumnType): ColumnType {
  return COLUMN_TYPES.indexOf(a) > COLUMN_TYPES.indexOf(b) ? a : b;
}
