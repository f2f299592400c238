import { parameterOf, QUERY_TOKEN } from "../platform/json/template.ts";
import { isObject } from "../platform/json/values.ts";
import { clausesAt, isData, markOf } from "../platform/json/when.ts";
import type { Path } from "./problem.ts";

/** Something that a template has of its parameters. */
export type TemplatePart =
  | {
      kind: "token";
      /** Undefined for `[search_query]`. */
      name: string | undefined;
      path: Path;
      /** The parameters without which it is dropped. */
      when: readonly string[];
    }
  /** A clause that is marked with `when`. */
  | { kind: "mark"; value: unknown; path: Path }
  /** A token where none is replaced: in a key, or in a longer text. */
  | { kind: "text"; name: string; path: Path };

/** Yields the tokens and marks of a template. */
export function* foundIn(value: unknown, path: Path = [], when: readonly string[] = []): Generator<TemplatePart> {
  if (typeof value === "string") yield* inText(value, path, when);
  if (Array.isArray(value)) for (const [at, one] of value.entries()) yield* foundIn(one, [...path, at], when);
  if (!isObject(value)) return;
  for (const [key, member] of Object.entries(value)) {
    const below = [...path, key];
    for (const { name } of tokensIn(key)) yield { kind: "text", name, path: below };
    const clauses = isData(key) ? undefined : clausesAt(key, member);
    if (!clauses) yield* foundIn(member, below, when);
    for (const [at, clause] of clauses ?? []) {
      const mark = markOf(clause);
      if (mark !== undefined) yield { kind: "mark", value: mark, path: [...below, at, "when"] };
      const marked = typeof mark === "string" ? [...when, mark] : when;
      yield* foundIn(mark === undefined ? clause : without(clause), [...below, at], marked);
    }
  }
}

function* inText(text: string, path: Path, when: readonly string[]): Generator<TemplatePart> {
  const name = parameterOf(text);
  if (name !== undefined || text === QUERY_TOKEN) yield { kind: "token", name, path, when };
  else for (const token of tokensIn(text)) yield { kind: "text", name: token.name, path };
}

const tokensIn = (text: string) =>
  [...text.matchAll(/\[params\.([A-Za-z_][\w-]*)\]/g)].map(([, name = ""]) => ({ name }));

function without(clause: unknown): unknown {
  const { when: _, ...rest } = clause as Record<string, unknown>;
  return rest;
}

/** Queries that compare a field with a value, and what holds their value if it is not below the field itself. */
const COMPARING = new Set([
  "match",
  "match_phrase",
  "match_phrase_prefix",
  "match_bool_prefix",
  "term",
  "terms",
  "prefix",
  "range",
]);
const VALUES = new Set(["query", "value", "gt", "gte", "lt", "lte"]);

/** Keys below which a query stands, alone or in a list. */
const HOLDERS = new Set([
  "query",
  "filter",
  "must",
  "must_not",
  "should",
  "queries",
  "post_filter",
  "positive",
  "negative",
  "rescore_query",
  "highlight_query",
]);

/** Below these keys stands a name that somebody chose, which may be that of a holder. */
const NAMED = new Set(["aggs", "aggregations", "sources", "suggest"]);

/** Queries whose `query` or `values` is only text to search for. */
const OTHER_VALUES = new Set(["multi_match query", "combined_fields query", "ids values"]);

/**
 * Returns whether a value at a path of a template is one that documents are searched for, whatever it is. Everywhere
 * else the cluster may read more than a value: the name of a field or index, a pattern, a number of hits.
 */
export function isSearchedFor(path: Path): boolean {
  const keys = path.filter((key): key is string => typeof key === "string");
  const at = keys.findIndex((key, index) => isQuery(keys, index) && (COMPARING.has(key) || isOther(keys, index)));
  if (at === -1) return false;
  const [query = "", , member, ...more] = keys.slice(at);
  if (!COMPARING.has(query)) return member === undefined;
  return more.length === 0 && (member === undefined || VALUES.has(member)) && keys.length > at + 1;
}

const isQuery = (keys: readonly string[], at: number) =>
  HOLDERS.has(keys[at - 1] ?? "") && !NAMED.has(keys[at - 2] ?? "");

const isOther = (keys: readonly string[], at: number) => OTHER_VALUES.has(`${keys[at]} ${keys[at + 1]}`);

/** Returns whether a path is the text of a script, or whatever else of it is not one of its parameters. */
export const isScriptText = (path: Path): boolean =>
  isInScript(path) && !path.some((key, at) => key === "params" && /^script$|._script$/.test(String(path[at - 1])));

/** Returns whether a path is inside a script, its parameters included. */
export function isInScript(path: Path): boolean {
  const keys = path.filter((key): key is string => typeof key === "string");
  const isField = (at: number) => COMPARING.has(keys[at - 1] ?? "") && isQuery(keys, at - 1);
  return keys.some((key, at) => /^script$|._script$/.test(key) && !isField(at));
}
