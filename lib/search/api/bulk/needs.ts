import type { EmbeddingMapping } from "../../gateway/settings.ts";
import type { DocumentOf, Operation } from "./operations.ts";
import { lookup, sourceText } from "./source-text.ts";

/**
 * What an operation needs for one mapping.
 * - `none`: the gateway does not write the embedding field;
 * - `text`: the embedding of this text;
 * - `empty`: the sources hold no text;
 * - `wrong`: a source is not text, or the document has no place for the embedding;
 * - `stored`: an update changes only some sources; the others are in the stored document.
 *
 * `afterPrevious` means that the need depends on what the previous operation on the same id writes.
 */
export type Need =
  | { kind: "none" | "stored" }
  | { kind: "text"; text: string; afterPrevious: boolean }
  | { kind: "empty"; afterPrevious: boolean }
  | { kind: "wrong"; reason: string };

/** The known values of a document's source fields, by path. An absent path is unknown. */
export type KnownSources = ReadonlyMap<string, readonly unknown[]>;

const NONE: Need = { kind: "none" };

/** Returns the needs of every operation, one for each mapping, as far as they follow from the request alone. */
export function needsOf(
  operations: readonly Operation[],
  mappings: readonly EmbeddingMapping[],
  documentOf: DocumentOf,
): Map<Operation, readonly Need[]> {
  const needs = new Map<Operation, readonly Need[]>();
  if (mappings.length === 0) return needs;
  const paths = [...new Set(mappings.flatMap(({ src_fields }) => src_fields))];
  const known = new Map<Operation, Map<string, readonly unknown[]>>();
  for (const operation of operations) {
    const { previous } = operation;
    // With another routing it may be another document.
    const before = previous?.routing === operation.routing ? previous && known.get(previous) : undefined;
    const sources = before ?? new Map<string, readonly unknown[]>();
    known.set(operation, sources);
    const doc = documentOf(operation);
    needs.set(
      operation,
      mappings.map((mapping) => needOf(operation, doc, mapping, sources)),
    );
    for (const path of paths) {
      const { touched, values } = lookup(doc, path);
      // Every operation but update replaces or deletes the whole document.
      if (operation.op !== "update" || touched) sources.set(path, values);
    }
  }
  return needs;
}

/** Returns the need of one operation for one mapping, given what is known about the document before it. */
export function needOf(
  { op }: Operation,
  doc: ReturnType<DocumentOf>,
  mapping: EmbeddingMapping,
  before: KnownSources,
): Need {
  const { embedding_field, src_fields } = mapping;
  const place = lookup(doc, embedding_field);
  if (op === "delete" || place.values.length > 0) return NONE;
  const found = src_fields.map((path) => ({ path, ...lookup(doc, path) }));
  const partial = op === "update" && found.some(({ touched }) => !touched);
  if (partial && found.every(({ touched }) => !touched)) return NONE;

  const texts: string[] = [];
  for (const { path, touched, values } of found) {
    const current = op !== "update" || touched ? values : before.get(path);
    if (current === undefined) return { kind: "stored" };
    const source = sourceText(current);
    if ("wrong" in source) {
      const reason = `${path} must be a string or an array of strings to be embedded into ${embedding_field}, got ${source.wrong}`;
      return { kind: "wrong", reason };
    }
    texts.push(...source.texts);
  }
  // The document replaces the object that holds the embedding with something else.
  if (place.touched && texts.length === 0) return NONE;
  if (place.touched) {
    const parent = embedding_field.slice(0, embedding_field.lastIndexOf("."));
    return { kind: "wrong", reason: `${parent} must be an object, which holds the embedding ${embedding_field}` };
  }
  if (texts.length === 0) return { kind: "empty", afterPrevious: partial };
  return { kind: "text", text: texts.join("\n"), afterPrevious: partial };
}
