import { memberSlices, withMembers } from "../../platform/json/slices.ts";
import { isObject, parseLossless } from "../../platform/json/values.ts";
import { mapScoring } from "./scoring.ts";

/** Thrown when a search has no place for the text to search for instead of its own. */
export class NoPlaceForText extends Error {
  constructor(template: string | null | undefined) {
    super(
      template == null
        ? "no full-text query of the body that scores has the text of the search"
        : `the template "${template}" has neither [search_query] nor a parameter with role: query`,
    );
  }
}

/** Full-text queries of a field, and the member with their text. */
const OF_FIELD: Readonly<Record<string, string>> = {
  match: "query",
  match_bool_prefix: "query",
  match_phrase: "query",
  match_phrase_prefix: "query",
  neural: "query_text",
  neural_sparse: "query_text",
};

/** Full-text queries of several fields, whose text is their `query`. */
const OF_FIELDS = ["combined_fields", "multi_match", "query_string", "simple_query_string"];

/** A full-text query: its text, and how to write it with another one. */
interface FullText {
  text: string;
  with: (text: string) => object;
}

function fullText(kind: string, value: Readonly<Record<string, unknown>>): FullText | undefined {
  const textIn = (inner: unknown, member: string, around: (changed: unknown) => object): FullText | undefined => {
    if (typeof inner === "string") return { text: inner, with: around };
    const text = isObject(inner) ? inner[member] : undefined;
    if (typeof text !== "string") return undefined;
    return { text, with: (other) => around({ ...(inner as object), [member]: other }) };
  };
  if (OF_FIELDS.includes(kind)) return textIn(value, "query", (changed) => ({ [kind]: changed }));
  const member = Object.hasOwn(OF_FIELD, kind) ? OF_FIELD[kind] : undefined;
  const [[field, inner] = ["", undefined], ...others] = Object.entries(value);
  if (member === undefined || others.length > 0) return undefined;
  return textIn(inner, member, (changed) => ({ [kind]: { [field]: changed } }));
}

/** Returns whether a query has full-text queries that score. */
export function hasFullText(query: unknown): boolean {
  let isFound = false;
  mapScoring(query, (kind, value) => {
    isFound ||= fullText(kind, value) !== undefined;
    return undefined;
  });
  return isFound;
}

/**
 * Returns a native body in which another text replaces that of the search: in full-text queries that score and have
 * exactly this text. Everything else keeps its bytes, such as a filter or an analyzer of the same name. Undefined if no
 * such query has the text.
 */
export function bodyWithText(body: string, from: string, to: string): string | undefined {
  let isFound = false;
  const replaced = (query: unknown) =>
    mapScoring(query, (kind, value) => {
      const found = fullText(kind, value);
      if (found?.text !== from) return undefined;
      isFound = true;
      return found.with(to);
    });
  const rescored = (one: unknown): unknown =>
    isObject(one) && isObject(one.query)
      ? { ...one, query: { ...one.query, rescore_query: replaced(one.query.rescore_query) } }
      : one;
  const slices = memberSlices(body);
  const parsed = (member: string) => {
    const slice = slices.get(member);
    return slice && parseLossless(body.slice(slice.start, slice.end));
  };
  const rescore = parsed("rescore");
  const changes = {
    query: replaced(parsed("query")),
    rescore: Array.isArray(rescore) ? rescore.map(rescored) : rescored(rescore),
  };
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return isFound
    ? withMembers(body, Object.fromEntries(given.map(([member, value]) => [member, JSON.stringify(value)])))
    : undefined;
}
