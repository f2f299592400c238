import { Argument, Option } from "commander";
import * as v from "valibot";

/** An option or argument of a command: how it is written and explained, and the schema of its value. */
export interface Parameter<Value> {
  shown: Option | Argument;
  schema: Schema<Value>;
}

type Schema<Value> = v.GenericSchema<unknown, Value>;

interface OptionDetails {
  /** The text that counts without the option. */
  default?: string;
  /** The values that it takes, as help lists them. */
  choices?: readonly string[];
  /** The other options, by their keys, that cannot be given with it. */
  conflicts?: string[];
  /** Whether it may be given several times: its value is a list. */
  repeated?: boolean;
}

/** Declares an option with a value. It is mandatory if its schema refuses undefined and it has no default. */
export function option<Value>(
  flags: string,
  description: string,
  schema: Schema<Value>,
  { default: usual, choices, conflicts = [], repeated = false }: OptionDetails = {},
): Parameter<Value> {
  const shown = new Option(flags, description).default(usual).conflicts(conflicts);
  if (choices) shown.choices(choices);
  if (repeated) shown.default([]).argParser((value, before: string[]) => [...before, value]);
  return { shown: shown.makeOptionMandatory(!repeated && usual === undefined && !v.is(schema, undefined)), schema };
}

/** Declares an option without a value: true if it is given, or for `--no-…` if it is not. */
export const flag = (flags: string, description: string): Parameter<boolean> => ({
  shown: new Option(flags, description),
  schema: v.optional(v.boolean(), false),
});

/** Declares an argument: `<name>` is mandatory, `[name]` is not. */
export const argument = <Value>(name: string, description: string, schema: Schema<Value>): Parameter<Value> => ({
  shown: new Argument(name, description),
  schema,
});

/** A text that is not empty. `message` says what the option needs. */
export const filled = (message: string) => v.pipe(v.string(), v.nonEmpty(message));

/** A number whose text matches a pattern. */
export const number = (pattern: RegExp, message: string) =>
  v.pipe(v.string(), v.regex(pattern, message), v.transform(Number));

/** A text that may be left out. */
export const maybe = v.optional(v.string());

/** Words with commas between them. */
export const words = v.pipe(
  v.string(),
  v.transform((text) => text.split(",").map((word) => word.trim())),
);

/** The option of commands that need AWS or the stack of `make dev`. */
export const local = {
  local: flag("--local", "the stack of `make dev` in place of AWS, with conf.local unless --conf says otherwise"),
};

/** The option of commands that ask before they change anything. */
export const yes = (description: string) => ({ yes: flag("--yes", description) });
