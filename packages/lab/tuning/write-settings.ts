import { isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type YAMLMap } from "yaml";

/** Settings that `relevance tune` writes for an index. */
export interface IndexDefaults {
  weights: readonly number[] | null;
  normalization: string;
  combination: string;
  candidates: number;
}

/**
 * Returns the text of hybrid_search.yaml with new defaults for the entry named `index`. Changes only the keys `settings`
 * and `candidates` of that entry: comments and the rest of the text stay as they are. Undefined if the text has no such
 * entry in block style.
 */
export function withDefaults(text: string, index: string, defaults: IndexDefaults): string | undefined {
  const { candidates, weights, normalization, combination } = defaults;
  // Tuned settings have more properties, such as `k`, which is part of the template: only these belong here.
  const settings = { ...(weights && { weights: `[${weights.join(", ")}]` }), normalization, combination };
  const listed = Object.entries(settings).map(([key, value]) => `${key}: ${value}`);
  return withEntryKeys(text, index, { settings: `{${listed.join(", ")}}`, candidates: String(candidates) });
}

/** Does the same with any keys of the entry, by their values in YAML of one line; undefined takes a key away. */
export function withEntryKeys(
  text: string,
  index: string,
  written: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const entry = entryOf(text, index);
  const anchor = entry && pairOf(entry, "index");
  if (!entry || entry.flow || !anchor) return undefined;
  let changed = text;
  // From the last place to the first, so that earlier places stay where they are.
  const edits = Object.entries(written).flatMap(([key, value]) => editOf(text, entry, anchor, key, value) ?? []);
  for (const { start, end, insert } of edits.sort((a, b) => b.start - a.start)) {
    changed = `${changed.slice(0, start)}${insert}${changed.slice(end)}`;
  }
  return changed;
}

interface Edit {
  start: number;
  end: number;
  insert: string;
}

function editOf(text: string, entry: YAMLMap, anchor: Pair, key: string, value: string | undefined): Edit | undefined {
  const existing = pairOf(entry, key);
  if (!existing && value === undefined) return undefined;
  if (existing) {
    const from = rangeOf(existing.key)[0];
    const [, end] = rangeOf(existing.value);
    // A block ends with its line break.
    const trimmed = text.slice(from, end).trimEnd().length;
    if (value !== undefined) return { start: from, end: from + trimmed, insert: `${key}: ${value}` };
    const lineEnd = text.indexOf("\n", from + trimmed);
    return { start: text.lastIndexOf("\n", from) + 1, end: lineEnd < 0 ? text.length : lineEnd + 1, insert: "" };
  }
  const start = rangeOf(anchor.key)[0];
  const column = start - (text.lastIndexOf("\n", start) + 1);
  const lineEnd = text.indexOf("\n", rangeOf(anchor.value)[1]);
  const at = lineEnd < 0 ? text.length : lineEnd;
  return { start: at, end: at, insert: `\n${" ".repeat(column)}${key}: ${value}` };
}

function entryOf(text: string, index: string): YAMLMap | undefined {
  const queries = parseDocument(text).get("hybrid_queries", true);
  if (!isSeq(queries)) return undefined;
  return queries.items.find((item): item is YAMLMap => isMap(item) && item.get("index") === index);
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

/** Nodes of a parsed document always have a range. */
const rangeOf = (node: unknown) => (node as Node).range as [number, number, number];
