import * as v from "valibot";
import { isObject } from "../platform/json/values.ts";

/** Texts about a value, for the reference and for problems. */
export type About = {
  /** The allowed values, as the end of a sentence that starts with "must be". */
  allowed: string;
  /** The purpose of the value, as a sentence for docs/reference/configuration.md. */
  description: string;
  /** The value in the shipped example that users must replace; it is rejected. */
  placeholder?: string;
};

const ANY_INTEGER = Number.MAX_SAFE_INTEGER;

/** The message of a value that is not allowed. Requests show it; the problems of files say what was given, too. */
const mustBe = (allowed: string) => `must be ${allowed}`;

function range(kind: string, min: number, max: number): string {
  return max === ANY_INTEGER ? `${kind} of at least ${min}` : `${kind} from ${min} to ${max}`;
}

/** An integer in [min, max]. */
export function integer(min: number, max: number | undefined, description: string) {
  const most = max ?? ANY_INTEGER;
  const allowed = range("an integer", min, most);
  return v.pipe(
    v.number(),
    v.safeInteger(mustBe(allowed)),
    v.minValue(min, mustBe(allowed)),
    v.maxValue(most, mustBe(allowed)),
    v.metadata({ allowed, description } satisfies About),
  );
}

/** A number in [min, max], which are finite. */
export function numeric(min: number, max: number, description: string) {
  const allowed = range("a number", min, max);
  return v.pipe(
    v.number(),
    v.minValue(min, mustBe(allowed)),
    v.maxValue(max, mustBe(allowed)),
    v.metadata({ allowed, description } satisfies About),
  );
}

/** A finite number above `min`, up to `max`. */
export function numberAbove(min: number, max: number, description: string) {
  const allowed = max === ANY_INTEGER ? `a number above ${min}` : `a number above ${min}, at most ${max}`;
  return v.pipe(
    v.number(),
    v.finite(),
    v.gtValue(min),
    v.maxValue(max),
    v.metadata({ allowed, description } satisfies About),
  );
}

/** Text that matches `pattern`; `allowed` describes the pattern in words. */
export function text(pattern: RegExp, allowed: string, description: string, placeholder?: string) {
  return v.pipe(
    v.string(),
    v.regex(pattern, mustBe(allowed)),
    v.metadata({ allowed, description, ...(placeholder !== undefined && { placeholder }) } satisfies About),
  );
}

/** A description in plain words. */
export const Description = (description: string) =>
  text(/^[\P{Cc}\n]{1,1000}$/u, "text of 1 to 1000 characters", description);

/** Schema of a string with a fixed set of values. */
export function word<const Words extends readonly string[]>(words: Words, description: string) {
  return v.pipe(v.picklist(words), v.metadata({ allowed: joinWords(words), description } satisfies About));
}

/** One of a few numbers. */
export function oneOf<const Numbers extends readonly number[]>(numbers: Numbers, description: string) {
  const allowed = `${numbers.slice(0, -1).join(", ")} or ${numbers.at(-1)}`;
  return v.pipe(v.picklist(numbers), v.metadata({ allowed, description } satisfies About));
}

/** true or false. */
export function flag(description: string) {
  return v.pipe(v.boolean(), v.metadata({ allowed: "true or false", description } satisfies About));
}

/** Returns whether a value is text, a number, or true or false. */
export const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);

export const SCALAR = "text, a number, or true or false";

/** One value of any of these types. */
export const scalar = (description: string) =>
  v.pipe(v.custom<string | number | boolean>(isScalar), v.metadata({ allowed: SCALAR, description } satisfies About));

/** A mapping with these keys and no others. */
export function section<const Entries extends v.ObjectEntries>(entries: Entries, description: string) {
  return v.pipe(v.strictObject(entries), v.metadata({ allowed: "a mapping", description } satisfies About));
}

/** A mapping with any keys. */
export function mapping(description: string) {
  return v.pipe(
    v.custom<Readonly<Record<string, unknown>>>(isObject),
    v.metadata({ allowed: "a mapping", description } satisfies About),
  );
}

/** A list of `min` to `max` entries. */
export function list<Item extends v.GenericSchema>(
  item: Item,
  description: string,
  { min = 0, max = 1_000 }: { min?: number; max?: number } = {},
) {
  const { allowed: entries }: Partial<About> = v.getMetadata(item);
  const each = entries === undefined || entries === "a mapping" ? "" : `, each ${entries}`;
  const allowed = `a list of ${min === 0 ? "at most" : `${min} to`} ${max} entries${each}`;
  return v.pipe(
    v.array(item),
    v.minLength(min),
    v.maxLength(max),
    v.metadata({ allowed, description } satisfies About),
  );
}

/** Either of two kinds, as text or as a list. With a union, valibot would reject the whole list instead of the wrong entry. */
export function textOrList<Text extends v.GenericSchema, List extends v.GenericSchema>(
  text: Text,
  list: List,
  allowed: string,
  description: string,
) {
  return v.pipe(
    v.lazy((input): Text | List => (Array.isArray(input) ? list : text)),
    v.metadata({ allowed, description } satisfies About),
  );
}

/** An ARN of one service and kind of resource. `checkArns` compares its region and account with the project's. */
export function arn(service: string, resource: string, example: string, description: string, placeholder?: string) {
  const pattern = new RegExp(
    `^arn:aws(-cn|-us-gov|-iso-b|-iso)?:${service}:[a-z]{2}(-[a-z]+)+-\\d:\\d{12}:${resource}$`,
  );
  return text(pattern, `an ARN such as ${example}`, description, placeholder);
}

/** The id of a resource of EC2, such as `subnet-0a1b2c3d4e5f67890`. `what` names the resource with its article. */
export const ec2Id = (prefix: string, what: string, description: string, placeholder?: string) =>
  text(
    new RegExp(`^${prefix}-[0-9a-f]{8,17}$`),
    `the id of ${what}, such as ${prefix}-0a1b2c3d4e5f67890`,
    description,
    placeholder,
  );

/** Joins words: `"a"`, `"a" or "b"`, `"a", "b" or "c"`. */
export function joinWords(words: readonly string[], last = "or"): string {
  const quoted = words.map((word) => `"${word}"`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} ${last} ${quoted.at(-1)}`;
}
