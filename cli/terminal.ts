import { createColors } from "picocolors";
import { visible } from "../lib/platform/visible.ts";

/** A stream to print to. */
interface Output {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
}

/** Where commands print. Nothing else in the CLI writes to a stream. */
export interface Terminal {
  /** Prints a result on standard output. */
  print(text: string): void;
  /** Prints a value on standard output as JSON. */
  printJson(value: unknown): void;
  /** Prints everything except results, such as warnings and progress, on standard error. */
  note(text: string): void;
  /** Colours for standard output; without a terminal, or with NO_COLOR, text stays plain. */
  colors: Colors;
  /** Colours for standard error. */
  noteColors: Colors;
}

/** Functions that colour text. */
export type Colors = ReturnType<typeof createColors>;

const ESC = "\u001b";

/**
 * The control sequences that commands print themselves: the codes of their colours, and at the start of a text those
 * that replace the line above.
 */
const OWN = new RegExp(`(${ESC}\\[(?:1|2|22|31|32|33|36|39)m|^${ESC}\\[1A${ESC}\\[2K)`);

/**
 * Creates a terminal that prints to two streams. Names and messages of others may have control sequences: they are
 * shown, not obeyed. A result that goes to a file or another program stays as it is.
 */
export function createTerminal(out: Output, error: Output, noColor: boolean): Terminal {
  const colorsOf = (stream: Output) => createColors(stream.isTTY === true && !noColor);
  const [colors, noteColors] = [colorsOf(out), colorsOf(error)];
  const shown = (text: string, { isColorSupported }: Colors) =>
    isColorSupported
      ? text
          .split(OWN)
          .map((part, index) => (index % 2 === 1 ? part : visible(part)))
          .join("")
      : visible(text);
  return {
    print: (text) => out.write(`${out.isTTY ? shown(text, colors) : text}\n`),
    printJson: (value) => out.write(`${visible(JSON.stringify(value, undefined, 2))}\n`),
    note: (text) => error.write(`${shown(text, noteColors)}\n`),
    colors,
    noteColors,
  };
}

/** Formats a time for tables, for example `2025-03-02 08:00:00Z`. Empty without a time. */
export function shownTime(iso: string | undefined): string {
  return iso === undefined ? "" : `${iso.slice(0, 19).replace("T", " ")}Z`;
}
