import type { Highlighted, InstantHit, InstantRequest } from "./types.ts";

/** The cluster's own marks around a match, unless a template has others. */
const MARKS = /<(\/?)em>/g;

/** A hit as the cluster answers it. */
export interface ClusterHit {
  _id: string;
  _source?: Readonly<Record<string, unknown>>;
  highlight?: Readonly<Record<string, readonly string[]>>;
}

/** Returns a hit with `_highlightResult` and `_snippetResult` for its texts: with the cluster's matches, if it has any. */
export function shownHit(
  { _id, _source = {}, highlight = {} }: ClusterHit,
  { params = {} }: InstantRequest,
): InstantHit {
  const tags = { open: String(params.highlightPreTag ?? "<em>"), close: String(params.highlightPostTag ?? "</em>") };
  const texts = (each: (text: string, fragments: readonly string[]) => Highlighted) =>
    mapped(_source, "", (text, path) => each(text, highlight[path] ?? []));
  return {
    ..._source,
    objectID: _id,
    _highlightResult: texts((text, fragments) => marked(inPlace(text, fragments), tags)),
    _snippetResult: texts((text, fragments) => marked(fragments.length > 0 ? fragments.join(" … ") : text, tags)),
  };
}

/** Returns the same objects and lists with each text replaced, and without anything else. */
function mapped(value: unknown, path: string, replace: (text: string, path: string) => Highlighted): unknown {
  if (typeof value === "string") return replace(value, path);
  if (Array.isArray(value))
    return value.map((entry) => mapped(entry, path, replace)).filter((one) => one !== undefined);
  if (typeof value !== "object" || value === null) return undefined;
  const entries = Object.entries(value).map(([key, member]) => [
    key,
    mapped(member, path === "" ? key : `${path}.${key}`, replace),
  ]);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined));
}

/** Returns the whole text with the marks of those fragments that are parts of it. */
const inPlace = (text: string, fragments: readonly string[]): string =>
  fragments.reduce((whole, fragment) => whole.replace(fragment.replaceAll(MARKS, ""), () => fragment), text);

function marked(text: string, { open, close }: { open: string; close: string }): Highlighted {
  const words = [...text.matchAll(/<em>(.*?)<\/em>/gs)].map(([, word = ""]) => word.toLowerCase());
  return {
    value: text.replaceAll(MARKS, (_, end: string) => (end ? close : open)),
    matchLevel: words.length > 0 ? "full" : "none",
    matchedWords: [...new Set(words)],
  };
}
