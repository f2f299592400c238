import { type ColumnType, columnType, widest } from "./column-type.ts";
import { DistinctCounter } from "./distinct-counter.ts";
import type { Value } from "./row.ts";

/** If the estimated count is at least this share of the values, all values count as distinct: six standard errors. */
const UNIQUE_RATIO = 0.97;

/** Statistics of one column, collected while its file is read. They take bounded memory. */
export class Column {
  readonly name: string;
  #type: ColumnType = "int";
  #values = 0;
  #multiple = false;
  #distinct = new DistinctCounter();

  constructor(name: string) {
    this.name = name;
  }

  add(value: Value): void {
    if (value === undefined) return;
    const text = String(value);
    this.#values += 1;
    if (this.#type !== "string") this.#type = widest(this.#type, columnType(text));
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
