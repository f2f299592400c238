import { endpointOf } from "../access/calls.ts";
import type { ClusterAnswer } from "../opensearch/cluster.ts";
import type { IndexCatalog } from "../opensearch/index-catalog.ts";

/** Changes of a write that concern the catalog of indexes. */
type Written =
  /** Documents of these indexes, which the cluster creates if they do not exist. */
  | { kind: "documents"; names: readonly string[] }
  /** The mapping or the settings of these indexes. */
  | { kind: "indexes"; names: readonly string[] }
  /** Nothing that the catalog keeps. */
  | { kind: "nothing" }
  /** Any index: new ones, deleted ones, aliases, and whatever is not listed here. */
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

/** One index, alias or data stream, and no expression for several. */
const NAME = /^[^_*,<%-][^*,<%]*$/;

/** Escapes of ASCII characters, in which a name or the key `_index` can be written. */
const HIDDEN = /\\u00[2-7]/i;

/** Returns what a write of the cluster's own API may change. */
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

/** Returns every index that a body of `_bulk` may name; one that is no name if it may hide one. */
function namesIn(body: Buffer): Set<string> {
  const hides = body.includes("\\u00") && HIDDEN.test(body.toString("latin1"));
  if (hides) return new Set([""]);
  if (!body.includes('"_index"')) return new Set();
  return new Set([...body.toString("utf8").matchAll(/"_index"\s*:\s*(?:"([^"\\]*)")?/g)].map(([, name = ""]) => name));
}

/** Drops from the catalog what a write may change. Called before it, because a failed one may have changed it too. */
export function forgetWritten(catalog: IndexCatalog, written: Written): void {
  if (written.kind === "indexes") catalog.forget(written.names);
  if (written.kind === "anything" || (written.kind === "documents" && !catalog.knows(written.names))) catalog.forget();
}

/** Notes that indexes exist, after a write of documents to them. */
export function noteWritten(catalog: IndexCatalog, written: Written, { status, body }: ClusterAnswer): void {
  if (written.kind !== "documents" || status >= 300 || body.includes("index_not_found_exception")) return;
  catalog.note(written.names);
}
