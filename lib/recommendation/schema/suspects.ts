import type { Dataset } from "../../platform/contract/recommendation.ts";
import { EVENT_COLUMNS } from "../records/event.ts";
import { ID_COLUMNS } from "../records/tables.ts";
import { isNoValue } from "../records/value.ts";
import { type Counted, countIn, placeOf, type Row, shareOf } from "./row.ts";

const IDS: Readonly<Record<Dataset, readonly string[]>> = {
  user: [ID_COLUMNS.user],
  item: [ID_COLUMNS.item],
  interaction: EVENT_COLUMNS.filter(({ type }) => type === "id" || type === "item").map(({ name }) => name),
};

/** Why values that the service accepts are suspicious. The keys are columns. */
const REASONS = {
  word: [
    "which is a word for no value",
    "--null leaves such values out, and personalize.ids.refuse of project.yaml refuses such ids",
  ],
  blank: ["which has blanks at its ends", "with and without blanks are two ids"],
} as const;

/** Collects ids that the service accepts as they are, though they probably mean something else. */
export class Suspects {
  readonly #columns: readonly string[];
  readonly #dataset: Dataset;
  readonly #found = { word: new Map<string, Counted>(), blank: new Map<string, Counted>() };
  readonly #untimed = new Map<string, Counted>();

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
    this.#columns = IDS[dataset];
  }

  /** Adds a row that the service accepts. */
  add(row: Row): void {
    for (const column of this.#columns) {
      const value = row.values.get(column);
      if (value === undefined) continue;
      const text = String(value);
      if (isNoValue(text)) countIn(this.#found.word, column, row, JSON.stringify(text));
      else if (text.trim() !== text) countIn(this.#found.blank, column, row, JSON.stringify(text));
    }
    if (this.#dataset === "interaction" && row.values.get("TIMESTAMP") === undefined) {
      countIn(this.#untimed, "TIMESTAMP", row, "");
    }
  }

  /** Returns a line for each column and reason. `rows` is the number of rows of the file. */
  warnings(file: string, rows: number): string[] {
    const ids = (["word", "blank"] as const).flatMap((kind) =>
      [...this.#found[kind]].map(([column, one]) => {
        const [is, effect] = REASONS[kind];
        return `${placeOf(file, one.places[0])}  ${column} is ${one.message}, ${is}: so in ${shareOf(one, rows)}; ${effect}`;
      }),
    );
    const untimed = [...this.#untimed.values()].map(
      (one) => `${placeOf(file, one.places[0])}  has no TIMESTAMP: ${shareOf(one, rows)} get the time of their upload`,
    );
    return [...ids, ...untimed];
  }
}
