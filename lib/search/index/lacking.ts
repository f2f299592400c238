import type { EmbeddingMapping } from "../gateway/settings.ts";
import type { SourceCopy } from "./rebuild/documents.ts";
import type { Update } from "./rebuild/write.ts";

/**
 * Returns the update that embeds what a document lacks, or undefined if it lacks nothing. `dense` are the fields of which
 * the cluster has told whether the document has them.
 */
export function updateFor(
  { id, routing, seqNo, primaryTerm, has, source }: SourceCopy,
  mappings: readonly EmbeddingMapping[],
  dense: ReadonlySet<string>,
): Update | undefined {
  const stored = JSON.parse(source) as Record<string, unknown>;
  const lacking = mappings.filter(({ embedding_field: field, src_fields }) => {
    const isThere = dense.has(field) ? has.includes(field) : !isEmpty(valueAt(stored, field));
    return !isThere && src_fields.some((one) => hasText(valueAt(stored, one)));
  });
  if (lacking.length === 0) return undefined;
  const doc: Record<string, unknown> = {};
  for (const field of new Set(lacking.flatMap(({ src_fields }) => src_fields))) {
    const value = valueAt(stored, field);
    if (stored[field] !== undefined) doc[field] = value;
    else if (value !== undefined) setAt(doc, field, value);
  }
  return {
    op: "update",
    id,
    ...(routing !== undefined && { routing }),
    ifUnchanged: { seqNo, primaryTerm },
    source: JSON.stringify(doc),
  };
}

const hasText = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(hasText) : typeof value === "string" && value.trim() !== "";

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || Object.keys(value as object).length === 0;

function valueAt(source: Record<string, unknown>, path: string): unknown {
  if (source[path] !== undefined) return source[path];
  return path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], source);
}

function setAt(doc: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop() ?? path;
  let at = doc;
  for (const key of keys) {
    at[key] ??= {};
    at = at[key] as Record<string, unknown>;
  }
  at[last] = value;
}
