import { isObject } from "../json/values.ts";

/** A tool as lists of tools show it. */
export interface ToolDescription {
  name: string;
  description: string;
  /** JSON schema of its arguments, an object without other members. */
  inputSchema: {
    type: "object";
    properties: Readonly<Record<string, object>>;
    required: readonly string[];
    additionalProperties: false;
  };
}

/** Arguments of a tool call. */
export interface Arguments {
  /** Returns an argument as text. Throws ArgumentError if it is anything else. */
  text(name: string): string | undefined;
  /** Returns the JSON text of an argument as the caller wrote it. */
  json(name: string): string | undefined;
  /** The number of entries shown before, as the cursor holds it. */
  skip: number;
}

/** The result of an endpoint, as far as a tool shows it. */
export interface ResultList {
  /** The name of the list in the answer. */
  list: string;
  /** The entries that were not shown before. The first member of each identifies it. */
  entries: readonly Readonly<Record<string, unknown>>[];
  /** Returns whether there are more entries than those of before and so many of these. */
  hasMore(shown: number): boolean;
  /** Members of the answer beside the list, by name. */
  facts: Readonly<Record<string, unknown>>;
}

/** A tool: one endpoint, called with the caller's own key. */
export interface Tool extends ToolDescription {
  /** The path of the endpoint. */
  path: string;
  /** Returns the JSON text of the endpoint's request. Throws ArgumentError. */
  request(given: Arguments): string;
  /** Returns what an answer of the endpoint has. */
  read(
    answer: Readonly<Record<string, unknown>>,
    given: Arguments,
    headers: Readonly<Record<string, unknown>>,
  ): ResultList;
}

/** An argument that does not fit. The message is for the agent, which can call again. */
export class ArgumentError extends Error {
  override name = "ArgumentError";
}

const CURSOR_PATTERN = /^[0-9]{1,5}$/;

/** The argument of every tool that asks for the next page. */
export const CURSOR = {
  type: "string",
  pattern: CURSOR_PATTERN.source,
  description:
    "next_cursor of an answer: repeat the call with it, and otherwise the same arguments, for the next page.",
};

/** Parses arguments, whose source text `jsonOf` returns. Throws ArgumentError for unknown and for missing ones. */
export function argumentsOf(
  { inputSchema: { properties, required } }: ToolDescription,
  given: unknown,
  jsonOf: (name: string) => string | undefined,
): Arguments {
  const values = given ?? {};
  if (!isObject(values)) throw new ArgumentError("The arguments must be an object.");
  const names = Object.keys(properties);
  for (const name of Object.keys(values)) {
    if (!names.includes(name))
      throw new ArgumentError(`There is no argument "${name.slice(0, 100)}": use ${names.join(", ")}.`);
  }
  const text = (name: string) => {
    const value = Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
    if (value === undefined || typeof value === "string") return value;
    throw new ArgumentError(`The argument "${name}" must be text.`);
  };
  const missing = required.filter((name) => !Object.hasOwn(values, name) || values[name] === null);
  if (missing.length > 0) throw new ArgumentError(`Arguments are missing: ${missing.join(", ")}.`);
  const cursor = text("cursor") ?? "0";
  if (!CURSOR_PATTERN.test(cursor)) throw new ArgumentError("The cursor must be next_cursor of an answer.");
  const json = (name: string) =>
    (Object.hasOwn(values, name) ? values[name] : null) === null ? undefined : jsonOf(name);
  return { text, json, skip: Number(cursor) };
}
