import { DEFAULT_KEY } from "../lib/core/http/key-rules.ts";

/** The numbers of a service's keys: two while a key is being rotated. */
export interface KeyNumbers {
  default: number[];
  /** Of the keys that api.yaml names. */
  named: Record<string, number[]>;
}

const NUMBERS = /^[1-9]\d{0,3}(,[1-9]\d{0,3})?$/;

/**
 * Reads the parameter with the numbers: those of the key `default`, as in `1,2`, and those of others, as in
 * `shop=1,2`, with spaces between them. Returns the text itself if it is nothing of this kind.
 */
export function parseKeyNumbers(text = "1"): KeyNumbers | string {
  const numbers: KeyNumbers = { default: [1], named: {} };
  for (const part of text.split(" ")) {
    const [name, list = ""] = part.includes("=") ? part.split("=") : [DEFAULT_KEY, part];
    if (name === undefined || !NUMBERS.test(list)) return text;
    const parsed = list.split(",").map(Number);
    if (name === DEFAULT_KEY) numbers.default = parsed;
    else numbers.named[name] = parsed;
  }
  return numbers;
}

/** Returns the text of the parameter. */
export function formatKeyNumbers({ default: own, named }: KeyNumbers): string {
  return [own.join(","), ...Object.entries(named).map(([name, numbers]) => `${name}=${numbers.join(",")}`)].join(" ");
}

/** Returns the numbers of one key. */
export function numbersOf({ default: own, named }: KeyNumbers, name: string): number[] {
  return name === DEFAULT_KEY ? own : (named[name] ?? [1]);
}

/** Returns the numbers with those of one key replaced. */
export function withNumbers(numbers: KeyNumbers, name: string, changed: number[]): KeyNumbers {
  if (name === DEFAULT_KEY) return { ...numbers, default: changed };
  return { ...numbers, named: { ...numbers.named, [name]: changed } };
}
