import { createColors } from "picocolors";

/** A stream to print to. */
export interface Output {
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

/** Creates a terminal that prints to two streams. */
export function createTerminal(out: Output, error: Output, noColor: boolean): Terminal {
  const colorsOf = (stream: Output) => createColors(stream.isTTY === true && !noColor);
  return {
    print: (text) => out.write(`${text}\n`),
    printJson: (value) => out.write(`${JSON.stringify(value, undefined, 2)}\n`),
    note: (text) => error.write(`${text}\n`),
    colors: colorsOf(out),
    noteColors: colorsOf(error),
  };
}
