import { MAX_TEXT } from "../../personalize/limits.ts";
import type { Dataset } from "../../platform/contract/recommendation.ts";
import { type Counted, placeOf, shareOf } from "./row.ts";

/** The rows of a file that the service rejects. */
interface Rejections {
  file: string;
  dataset: Dataset;
  /** The number of rows that it accepts. */
  rows: number;
  rejected: number;
  /** By column. The key is empty for problems of a whole row. */
  rejections: ReadonlyMap<string, Counted>;
}

/** Returns what is wrong with rejected rows: for each column the first rows, and their number. */
export function rejectedRows(
  { file, dataset, rows, rejected, rejections }: Rejections,
  textual: readonly string[],
): string[] {
  return [...rejections].map(([column, counted]) => {
    const { places, message } = counted;
    const isLong = dataset === "item" && !textual.includes(column) && /at most 1000 are allowed$/.test(message);
    const advice = isLong ? `. --textual-fields ${column} allows ${MAX_TEXT.toLocaleString("en")}` : "";
    const what = column === "" ? message : `${column} ${message}`;
    return `${placeOf(file, places[0])}  ${what}. The service rejects ${shareOf(counted, rows + rejected)}${advice}`;
  });
}
