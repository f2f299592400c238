/** Types of a declared parameter of a template: one value, or a list of them. Never an object. */
export const PARAMETER_TYPES = ["text", "number", "boolean", "texts", "numbers", "booleans"] as const;

export type ParameterType = (typeof PARAMETER_TYPES)[number];

/** Roles of a parameter in a search: its text. */
export const PARAMETER_ROLES = ["query"] as const;

/** The longest text of a parameter that declares no `max_length`, in UTF-16 code units. */
export const DEFAULT_MAX_LENGTH = 1_000;

/** The most entries of a list that declares no `max_items`. */
export const DEFAULT_MAX_ITEMS = 100;

/** The declaration of a parameter, as `config.json` holds it. */
export interface Parameter {
  name: string;
  /** Its meaning, for agents. */
  description?: string | undefined;
  type: ParameterType;
  role?: (typeof PARAMETER_ROLES)[number] | undefined;
  min?: number | undefined;
  max?: number | undefined;
  max_length?: number | undefined;
  max_items?: number | undefined;
  /** The only values that it may have. */
  values?: Array<string | number | boolean> | undefined;
  /** Its value in requests that leave it out. */
  default?: unknown;
}

const SINGLE = {
  text: "string",
  number: "number",
  boolean: "boolean",
  texts: "string",
  numbers: "number",
  booleans: "boolean",
} as const satisfies Record<ParameterType, string>;

const WORDS = { string: "text", number: "a number", boolean: "true or false" } as const;

/** Returns whether values of a type are lists. */
export const isList = (type: ParameterType): boolean => type.endsWith("s");

/** Returns the JavaScript type of a value, or of each entry of a list. */
export const singleOf = (type: ParameterType): "string" | "number" | "boolean" => SINGLE[type];

/** Returns what is wrong with a value of a parameter, as the end of a sentence; undefined if it fits. */
export function valueIssue(parameter: Omit<Parameter, "name" | "default">, value: unknown): string | undefined {
  const { type, max_items = DEFAULT_MAX_ITEMS } = parameter;
  if (!isList(type)) return singleIssue(parameter, value);
  if (!Array.isArray(value)) return `must be a list, each entry ${WORDS[SINGLE[type]]}`;
  if (value.length > max_items) return `must have at most ${max_items} entries, got ${value.length}`;
  for (const [at, one] of value.entries()) {
    const issue = singleIssue(parameter, one);
    if (issue !== undefined) return `has a wrong entry ${at + 1}: it ${issue}`;
  }
  return undefined;
}

/** Returns the same for one value, or for one entry of a list. */
export function singleIssue(
  { type, min, max, max_length = DEFAULT_MAX_LENGTH, values }: Omit<Parameter, "name" | "default">,
  value: unknown,
): string | undefined {
  // A number beyond the range of a float is Infinity.
  if (typeof value !== SINGLE[type] || value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
    return `must be ${WORDS[SINGLE[type]]}`;
  }
  if (values && !values.includes(value as string | number | boolean))
    return `must be one of ${values.map((one) => JSON.stringify(one)).join(", ")}`;
  if (typeof value === "string" && value.length > max_length) {
    return `must have at most ${max_length} characters, got ${value.length}`;
  }
  if (typeof value !== "number") return undefined;
  if (min !== undefined && value < min) return `must be at least ${min}`;
  return max !== undefined && value > max ? `must be at most ${max}` : undefined;
}
