/** Where progress is shown. */
export interface ProgressOutput {
  /** Whether a printed line can be replaced. */
  isTerminal: boolean;
  /** Prints a line. */
  note(text: string): void;
}

const WIDTH = 30;
/** The interval between two lines if the output is not a terminal. */
const LINE_EVERY_MS = 5_000;
/** The interval between two updates of the bar. */
const BAR_EVERY_MS = 100;

/** Moves the cursor to the start of the line above and clears that line. */
const OVER_LAST_LINE = "\u001b[1A\u001b[2K";

/**
 * Creates a function that shows how many of `total` rows are done, as a bar on a terminal, and elsewhere as a line
 * every five seconds. Always shows the first and the last state.
 */
export function createProgress(
  { isTerminal, note }: ProgressOutput,
  title: string,
  total: number,
  now: () => number = () => performance.now(),
): (rows: number) => void {
  const began = now();
  let shownAt: number | undefined;
  let first = 0;
  return (rows) => {
    const time = now();
    if (shownAt !== undefined && rows < total && time - shownAt < (isTerminal ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
    const line = isTerminal ? bar(title, rows, total) : `${title}: ${count(rows)} of ${count(total)}`;
    if (shownAt === undefined) first = rows;
    const seconds = (time - began) / 1_000;
    const speed = seconds > 1 ? `, ${count(Math.round((rows - first) / seconds))} rows/s` : "";
    note(`${isTerminal && shownAt !== undefined ? OVER_LAST_LINE : ""}${line}${speed}`);
    shownAt = time;
  };
}

function bar(title: string, rows: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, rows / total);
  const filled = Math.round(share * WIDTH);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${title.padEnd(12)} [${"#".repeat(filled)}${" ".repeat(WIDTH - filled)}] ${percent} %  ${count(rows)} of ${count(total)}`;
}

const count = (number: number) => number.toLocaleString("en");
