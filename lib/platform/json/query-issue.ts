import { type Harmful, MAX_DEPTH, nestingIssue } from "./nesting.ts";
import { COSTLY, holdsCostlyRegexp, isCostlyRegexp } from "./regexp-cost.ts";

const OPENING = /[([{]/;
const BRACKETS = /[()[\]{}]/g;

/** Returns whether the brackets of a text (query string, regular expression, template) nest deeper than `limit`. */
export function hasDeepBrackets(text: string, limit = MAX_DEPTH): boolean {
  if (text.length <= limit) return false;
  let depth = 0;
  for (const [bracket] of text.matchAll(BRACKETS)) {
    depth = OPENING.test(bracket) ? depth + 1 : Math.max(0, depth - 1);
    if (depth > limit) return true;
  }
  return false;
}

/** The language of the strings below a key. Other strings can only hold brackets. */
type Kind = "regexp" | "query string" | undefined;

/** Queries, aggregations and suggesters whose strings the cluster reads as regular expressions. */
const KINDS: Readonly<Record<string, Kind>> = {
  regexp: "regexp",
  regex: "regexp",
  include: "regexp",
  exclude: "regexp",
  query_string: "query string",
};

/**
 * Finds what could end a node of the cluster although the JSON of a query does not show it: brackets inside strings,
 * which the cluster also parses recursively, regular expressions that would need too much memory, and both in the base64
 * query inside a `wrapper` query.
 */
export function queryIssue(value: unknown, path = "", left = MAX_DEPTH, kind?: Kind): Harmful | undefined {
  if (typeof value === "string") return stringIssue(value, path, kind);
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const where = path === "" ? key : `${path}.${key}`;
    const wrapped = key === "wrapper" ? wrappedQuery(member) : undefined;
    const below = Object.hasOwn(KINDS, key) ? KINDS[key] : kind;
    const issue =
      wrapped === undefined
        ? queryIssue(member, where, left - 1, below)
        : wrapperIssue(wrapped, `${where}.query`, left - 1);
    if (issue) return issue;
  }
  return undefined;
}

/** Finds the same in one string: a query string such as that of `q=`, a regular expression, or any other. */
export function stringIssue(text: string, path: string, kind: Kind): Harmful | undefined {
  if (hasDeepBrackets(text)) return { path, message: `holds brackets nested deeper than ${MAX_DEPTH} levels` };
  const costly = kind === "regexp" ? isCostlyRegexp(text) : kind === "query string" && holdsCostlyRegexp(text);
  return costly ? { path, message: COSTLY } : undefined;
}

function wrappedQuery(wrapper: unknown): string | undefined {
  const { query } = (wrapper ?? {}) as { query?: unknown };
  return typeof query === "string" ? query : undefined;
}

function wrapperIssue(base64: string, path: string, left: number): Harmful | undefined {
  const bytes = Buffer.from(base64, "base64");
  const tooDeep = nestingIssue(bytes, Math.max(0, left));
  if (tooDeep) return { path, message: `holds a query that is nested deeper than ${MAX_DEPTH} levels in all` };
  try {
    return queryIssue(JSON.parse(bytes.toString("utf8")), path, left);
  } catch {
    return { path, message: "must be JSON in base64" };
  }
}
