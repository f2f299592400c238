import { type ColumnType, columnType, widest } from "./column-type.ts";
import { DistinctCounter } from "./distinct-counter.ts";
import type { Value } from "./row.ts";

/** An estimate this near to the number of values means that all values differ: six standard errors. */
const UNIQUE_RATIO = 0.97;

/** What is learnt of one column while its file passes by; the memory it takes is bounded. */
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

  /** Text when there is no value at all. */
  get type(): ColumnType {
    return this.#values === 0 ? "string" : this.#type;
  }

  /** Rows in which the column has a value. */
  get values(): number {
    return this.#values;
  }

  /** Whether a value holds several, joined by a vertical bar. */
  get multiple(): boolean {
    return this.#multiple;
  }

  /**
   * Whether the values are categories: texts of which at most half as many differ as there are rows, or that hold
   * several values; never a column whose values are all different.
   */
  isCategorical(rows: number): boolean {
    if (this.type !== "string" || this.#values === 0) return false;
    if (this.#multiple) return true;
    const { count, exact } = this.#distinct;
    const unique = exact ? count === this.#values : count >= this.#values * UNIQUE_RATIO;
    return !unique && count <= rows / 2;
  }
}
