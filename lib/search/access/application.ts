import { forbidden } from "../../core/http/access.ts";
import type { KeyRules } from "../../core/http/key-rules.ts";
import { namesRefusal, type Refusal } from "./names.ts";
import { queryRefusal } from "./query.ts";

/**
 * Returns the index expression to send for a search. Throws `forbidden` for indexes that the key may not use, in the
 * expression or in the body. A wildcard of a key without patterns does not include names that start with a dot.
 */
export function searchedIndexes(key: KeyRules, index: string, body: unknown): string {
  const parts = index.split(",");
  const wide = key.indexes === undefined && parts.some((part) => part.startsWith("*") || part.startsWith("<*"));
  const sent = wide ? `${index},-.*` : index;
  require(key, namesRefusal(sent, key.indexes, { wildcards: true, lenient: key.indexes === undefined }) ??
    queryRefusal(body, key.indexes));
  return sent;
}

/** Throws `forbidden` unless a key may write to an index. */
export function requireWritable(key: KeyRules, index: string): void {
  require(key, namesRefusal(index, key.indexes, { wildcards: false, lenient: key.indexes === undefined }));
}

function require(key: KeyRules, found: Refusal | undefined): void {
  if (found) throw forbidden(key, found.rule, found.reason);
}
