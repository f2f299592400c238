import { lookup } from "../../platform/json/lookup.ts";
import { isObject } from "../../platform/json/values.ts";
import { type Passage, passagesOf } from "../embeddings/passages.ts";
import type { EmbeddingMapping } from "../gateway/settings.ts";
import type { DocumentOf, Operation } from "./operations.ts";
import type { HiddenFields, PassageMapping } from "./target.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The texts of a field's values, or a description of a value that is not text. */
type SourceText = { texts: string[] } | { wrong: string };

/** Returns the texts of strings and arrays of strings, skipping null and blank ones. Describes any other value. */
export function sourceText(values: readonly unknown[]): SourceText {
  const texts: string[] = [];
  for (const value of values) {
    for (const part of Array.isArray(value) ? value : [value]) {
      if (part === null) continue;
      if (typeof part !== "string")
        return { wrong: Array.isArray(value) ? `an array with ${nameOf(part)}` : nameOf(part) };
      if (part.trim() !== "") texts.push(part);
    }
  }
  return { texts };
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * The need of an operation for one mapping.
 * - `none`: the gateway does not write the embedding field;
 * - `text`: the embedding of this text;
 * - `empty`: the source fields contain no text;
 * - `wrong`: a source field is not text, or the document has no place for the embedding;
 * - `hidden`: a source field is in the stored document, but the index's `_source` excludes it;
 * - `stored`: the stored document must be read, because an update changes only some source fields, or drops the
 *   embedding.
 *
 * `afterPrevious`: the need depends on what the previous operation on the same id writes.
 */
export type Need =
  | { kind: "none" | "stored" }
  | { kind: "text"; text: string; passages?: readonly NeededPassage[]; afterPrevious: boolean }
  | { kind: "empty"; afterPrevious: boolean }
  | { kind: "wrong" | "hidden"; reason: string };

/** A passage to embed, or one whose embedding is stored already, as JSON. */
export interface NeededPassage extends Passage {
  stored?: string;
}

type NeedingMapping = EmbeddingMapping & {
  passages?: PassageMapping | undefined;
  hidden?: HiddenFields | undefined;
};

/** The known part of a document. */
interface KnownDocument {
  /** Members that contain source fields. */
  fields: Fields;
  /** Whether these are all members with source fields. */
  complete: boolean;
  /** Whether the members were read from `_source`. */
  isShown?: boolean;
}

const NONE: Need = { kind: "none" };

/** Returns the needs of every operation, one for each mapping, as far as the request alone determines them. */
export function needsOf(
  operations: readonly Operation[],
  mappings: readonly NeedingMapping[],
  documentOf: DocumentOf,
): Map<Operation, readonly Need[]> {
  const needs = new Map<Operation, readonly Need[]>();
  if (mappings.length === 0) return needs;
  const paths = [...new Set(mappings.flatMap(({ src_fields }) => src_fields))];
  const followed = new Set(operations.map(({ previous }) => previous));
  const known = new Map<Operation, KnownDocument>();
  for (const operation of operations) {
    const { op, previous } = operation;
    // With another routing, it may be another document with the same id.
    const before = previous?.routing === operation.routing ? previous && known.get(previous) : undefined;
    const doc = documentOf(operation);
    needs.set(
      operation,
      mappings.map((mapping) => needOf(operation, doc, mapping, before)),
    );
    if (!followed.has(operation)) continue;
    const holdsSource = (key: string) => paths.some((path) => path === key || path.startsWith(`${key}.`));
    const fields = Object.fromEntries(Object.entries(doc).filter(([key]) => holdsSource(key)));
    // Every operation but update replaces or deletes the whole document.
    known.set(
      operation,
      op === "update"
        ? { fields: merged(before?.fields ?? {}, fields), complete: before?.complete ?? false }
        : { fields, complete: true },
    );
  }
  return needs;
}

/** Returns the document after an update: the cluster merges objects by key, and replaces anything else. */
function merged(before: Fields, change: Fields): Fields {
  const after: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(change)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    after[key] = isObject(old) && isObject(value) ? merged(old, value) : value;
  }
  return after;
}

/** Returns the need of one operation for one mapping, given what is known about the document before it. */
export function needOf(
  { op }: Pick<Operation, "op">,
  doc: ReturnType<DocumentOf>,
  mapping: NeedingMapping,
  before: KnownDocument = { fields: {}, complete: false },
): Need {
  const { embedding_field, src_fields, passages: split, hidden } = mapping;
  const place = lookup(doc, embedding_field);
  if (op === "delete" || place.values.length > 0) return NONE;
  const found = src_fields.map((path) => ({ path, ...lookup(doc, path) }));
  if (op === "update" && !hidden?.isEmbedding && found.every(({ touched }) => !touched)) return NONE;
  // Passages that do not change are in the stored document.
  if (op === "update" && split?.isStored && !before.complete) return { kind: "stored" };
  const after = op === "update" ? merged(before.fields, doc) : doc;
  // A stored document may also contain the path in another spelling: `{"a.b": …}` beside `{"a": {"b": …}}`.
  const partial = op === "update" && found.some(({ path, touched }) => !touched || path.includes("."));

  const texts: string[] = [];
  for (const { path, touched } of found) {
    if (before.isShown && !touched && hidden?.sources.includes(path)) {
      const reason = `${embedding_field} is made of ${path}, which the index's documents do not show: give ${path} too, or write the whole document with index`;
      return { kind: "hidden", reason };
    }
    const isKnown = op !== "update" || before.complete || (Object.hasOwn(after, path) && !path.includes("."));
    if (!isKnown) return { kind: "stored" };
    const source = sourceText(lookup(after, path).values);
    if ("wrong" in source) {
      const reason = `${path} must be a string or an array of strings to be embedded into ${embedding_field}, got ${source.wrong}`;
      return { kind: "wrong", reason };
    }
    texts.push(...source.texts);
  }
  // The update replaces the object around the embedding with something else.
  if (place.touched && texts.length === 0) return NONE;
  if (place.touched) {
    const parent = embedding_field.slice(0, embedding_field.lastIndexOf("."));
    return { kind: "wrong", reason: `${parent} must be an object, which holds the embedding ${embedding_field}` };
  }
  if (texts.length === 0) return { kind: "empty", afterPrevious: partial };
  const text = texts.join("\n");
  return { kind: "text", text, ...(split && { passages: passagesOf(text, split) }), afterPrevious: partial };
}
