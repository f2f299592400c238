import { isObject } from "./values.ts";

/** Values of the tokens of a template, as JSON texts. */
export interface TemplateValues {
  /** Replaces `[search_query]`; undefined if the request has no text. */
  search_query: string | undefined;
  /** Each value replaces `[params.<name>]`. */
  params: ReadonlyMap<string, string>;
}

export interface FilledTemplate {
  /** JSON text in which the values have the bytes that they came with. */
  text: string;
  /** Names of parameters that the template has and the values lack. */
  missing: readonly string[];
  /** Names of parameters that the template has. */
  used: ReadonlySet<string>;
  /** Whether the template has `[search_query]`. */
  usesQuery: boolean;
}

/** The token for the text of a search. */
export const QUERY_TOKEN = "[search_query]";

const PARAM = /^\[params\.([A-Za-z_][\w-]*)\]$/;

/** Returns the name of the parameter for which a string of a template stands. */
export const parameterOf = (value: string): string | undefined => PARAM.exec(value)?.[1];

/**
 * Prints a template with values in place of tokens: strings that are exactly `[search_query]` or `[params.<name>]`. Keys
 * and parts of longer strings stay as they are.
 */
export function fillTemplate(template: unknown, { search_query, params }: TemplateValues): FilledTemplate {
  const used = new Set<string>();
  let usesQuery = false;
  const print = (value: unknown): string => {
    if (value === QUERY_TOKEN) {
      usesQuery = true;
      return search_query ?? "null";
    }
    if (Array.isArray(value)) return `[${value.map(print).join(",")}]`;
    if (typeof value === "object" && value !== null) {
      return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${print(item)}`)}}`;
    }
    const name = typeof value === "string" ? parameterOf(value) : undefined;
    if (name === undefined) return JSON.stringify(value);
    used.add(name);
    return params.get(name) ?? "null";
  };
  const text = print(template);
  return { text, missing: [...used].filter((name) => !params.has(name)), used, usesQuery };
}

/** Returns the names of a template's parameters. */
export function parametersOf(template: unknown): Set<string> {
  if (typeof template === "string") {
    const name = parameterOf(template);
    return new Set(name === undefined ? [] : [name]);
  }
  if (typeof template !== "object" || template === null) return new Set();
  return new Set(Object.values(template).flatMap((item) => [...parametersOf(item)]));
}

/** Returns a copy of a template without parameters, with `query` in place of `[search_query]`. */
export function withQuery(template: unknown, query: string): unknown {
  return JSON.parse(fillTemplate(template, { search_query: JSON.stringify(query), params: new Map() }).text);
}

/** Returns whether a template is for hybrid search: its query is a hybrid query. */
export const isHybrid = ({ query }: Readonly<Record<string, unknown>>): boolean =>
  isObject(query) && Object.hasOwn(query, "hybrid");
