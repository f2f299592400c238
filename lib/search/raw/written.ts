import { endpointOf } from "../access/calls.ts";
import type { ClusterAnswer } from "../opensearch/cluster.ts";
import type { IndexCatalog } from "../opensearch/index-catalog.ts";

/** Effects of a write on the index catalog. */
type Written =
  /** Documents of these indexes, which the cluster creates if they do not exist. */
  | { kind: "documents"; names: readonly string[] }
  /** The mapping or the settings of these indexes. */
  | { kind: "indexes"; names: readonly string[] }
  /** Nothing that the catalog caches. */
  | { kind: "nothing" }
  /** Anything: new or deleted indexes, aliases, and calls that are not listed here. */
  | { kind: "anything" };

interface NativeWrite {
  segments: readonly string[];
  body: Buffer;
}

const DOCUMENTS = new Set(["_doc", "_create", "_update", "_bulk"]);
const INDEXES = new Set(["_mapping", "_settings", "_block"]);
const NOTHING = new Set([
  "_refresh",
  "_flush",
  "_forcemerge",
  "_update_by_query",
  "_delete_by_query",
  "_search",
  "_tasks",
]);

/** A single index, alias or data stream, not an expression for several. */
const NAME = /^[^_*,<%-][^*,<%]*$/;

/** Escapes of ASCII characters, which may hide a name or the key `_index`. */
const HIDDEN = /\\u00[2-7]/i;

/** Returns the possible effect of a write of the cluster's own API. */
export function writtenBy({ segments, body }: NativeWrite): Written {
  const { name } = endpointOf(segments);
  const [first = ""] = segments;
  if (NOTHING.has(name) && !segments.includes("pipeline")) return { kind: "nothing" };
  const inPath = first === name ? [] : [first];
  const names = name === "_bulk" ? [...inPath, ...namesIn(body)] : inPath;
  if (names.length === 0 || !names.every((one) => NAME.test(one))) return { kind: "anything" };
  if (DOCUMENTS.has(name)) return { kind: "documents", names };
  return INDEXES.has(name) ? { kind: "indexes", names } : { kind: "anything" };
}

/** Returns every index that a `_bulk` body may name. Contains an invalid name if the body may hide one. */
function namesIn(body: Buffer): Set<string> {
  const hides = body.includes("\\u00") && HIDDEN.test(body.toString("latin1"));
  if (hides) return new Set([""]);
  if (!body.includes('"_index"')) return new Set();
  return new Set([...body.toString("utf8").matchAll(/"_index"\s*:\s*(?:"([^"\\]*)")?/g)].map(([, name = ""]) => name));
}

/**
 * Removes from the catalog what a write may change. Called before the write, because even a failed one may have changed
 * it.
 */
export function forgetWritten(catalog: IndexCatalog, written: Written): void {
  if (written.kind === "indexes") catalog.forget(written.names);
  if (written.kind === "anything" || (written.kind === "documents" && !catalog.knows(written.names))) catalog.forget();
}

/** Records in the catalog that indexes exist, after a write of documents to them. */
export function noteWritten(catalog: IndexCatalog, written: Written, { status, body }: ClusterAnswer): void {
  if (written.kind !== "documents" || status >= 300 || body.includes("index_not_found_exception")) return;
  catalog.note(written.names);
}
