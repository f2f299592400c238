import { createColors } from "picocolors";

/** A stream to print to. */
export interface Output {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
}

/** Where commands print. Nothing else of the CLI writes to a stream. */
export interface Terminal {
  /** Prints a result on standard output. */
  print(text: string): void;
  /** Prints a value on standard output as JSON. */
  printJson(value: unknown): void;
  /** Prints what is not the result, such as warnings and progress, on standard error. */
  note(text: string): void;
  /** Colours of standard output; without a terminal, or with NO_COLOR, they change nothing. */
  colors: Colors;
  /** Colours of standard error. */
  noteColors: Colors;
}

/** Functions that colour a text. */
export type Colors = ReturnType<typeof createColors>;

/** A terminal over two streams. */
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
