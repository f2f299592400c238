import { Failure, UsageError } from "../lib/platform/failure.ts";
import { DEFAULT_KEY } from "../lib/platform/http/access.ts";
import type { Service } from "../lib/platform/naming/names.ts";

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

export interface Rotation {
  service: Service;
  /** Name of the key. */
  name: string;
  /** Names of the service's keys. */
  known: readonly string[];
  /** Whether the older of two keys is removed; else a second one is added. */
  finish: boolean;
}

/**
 * Returns the numbers after the next step of a rotation. Throws UsageError for a key that the service does not have, and
 * Failure for a step that is done already.
 */
export function rotatedNumbers(before: KeyNumbers, { service, name, known, finish }: Rotation): KeyNumbers {
  if (!known.includes(name)) {
    throw new UsageError(`${service} has no key ${name}: --name must be one of ${known.join(", ")}`);
  }
  const numbers = numbersOf(before, name);
  const newest = Math.max(...numbers);
  if (finish) {
    if (numbers.length > 1) return withNumbers(before, name, [newest]);
    throw new Failure(`${service} has only one key: run ${rotation(service, name)} first to add the second`);
  }
  if (numbers.length === 1) return withNumbers(before, name, [newest, newest + 1]);
  throw new Failure(
    `${service} already has two keys. After all callers use the new one, run ${rotation(service, name, "--finish")}`,
  );
}

/** Returns the command that rotates a key, in backticks. */
export function rotation(service: Service, name: string, ...options: readonly string[]): string {
  const named = name === DEFAULT_KEY ? [] : ["--name", name];
  return `\`${["relevance rotate-key --service", service, ...named, ...options].join(" ")}\``;
}

function withNumbers(numbers: KeyNumbers, name: string, changed: number[]): KeyNumbers {
  if (name === DEFAULT_KEY) return { ...numbers, default: changed };
  return { ...numbers, named: { ...numbers.named, [name]: changed } };
}
