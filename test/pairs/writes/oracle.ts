import type { PairModels } from "../models.ts";
import type { WriteRow } from "./dimensions.ts";
import { BEFORE, type Doc, documentOf, embeddedText, hasDense, withEmbeddings } from "./documents.ts";

/** What a write comes to by the rules of the guide. */
export type Expected =
  /** The gateway refuses the operation, and nothing is written. */
  | { kind: "refused"; type: string }
  /** As the cluster does with this document. `degraded` are the fields whose embeddings are told to be missing. */
  | { kind: "written"; doc: Doc; degraded: readonly string[] };

/** The model that made the vectors of the index; undefined if it is not known any more. */
const modelOf = ({ meta }: WriteRow): "large" | "before" | undefined =>
  (({ none: "large", current: "large", previous: "before", unknown: undefined }) as const)[meta];

/** Returns the document that exists before, as it is stored. */
export const storedBefore = (row: WriteRow, models: PairModels): Doc =>
  row.entry === "none"
    ? BEFORE
    : withEmbeddings(BEFORE, embeddedText(BEFORE) ?? "", models, { model: modelOf(row), row });

/** Returns what a person would write for a case. */
export function expectedOf(row: WriteRow, models: PairModels): Expected {
  const stream = row.form === "data-stream" || row.form === "rolled-over";
  const doc: Doc = { ...documentOf(row).doc, ...(stream && { "@timestamp": "2026-01-01T00:00:00Z" }) };
  if (row.entry === "none" || row.op === "delete") return { kind: "written", doc, degraded: [] };
  const touches = "text" in doc || "brand.name" in doc;
  const isPartial = (row.op === "update" || row.op === "upsert") && row.before === "present";
  if (isPartial && !touches) return { kind: "written", doc, degraded: [] };
  const text = embeddedText(isPartial ? { ...BEFORE, ...doc } : doc);
  if (text === undefined) return { kind: "refused", type: "invalid_source_text" };
  const model = modelOf(row);
  const isAsked = text !== "";
  const isUnknown = model === undefined && hasDense(row) && isAsked && doc.text_dense === undefined;
  const withoutDense = hasDense(row) ? { text_dense: null } : {};
  // The pipeline runs after the embedding; of updates for those that create a document.
  const isChanged = row.pipeline === "changes-text" && row.form !== "date-math" && row.op !== "update" && !isPartial;
  const own = isChanged && (touches || row.op !== "upsert") ? [...Object.keys(withoutDense), "text_sparse"] : [];
  const changed = own.filter((field) => doc[field] === undefined);
  // The gateway reads the stored document first, and meets its version there. No model is asked.
  const isStale = isPartial && row.version === "stale";
  if (row.model === "down" && !isStale) {
    // A field whose model nobody knows is left out; the other one fails.
    if (row.failure === "fail") return { kind: "refused", type: "embedding_failed" };
    // The embeddings that are stored are those of another text.
    const removed = isPartial ? { ...withoutDense, text_sparse: [] } : {};
    return {
      kind: "written",
      doc: { ...removed, ...doc },
      degraded: [...Object.keys(withoutDense), "text_sparse"],
    };
  }
  const embedded = withEmbeddings(doc, text, models, { model, row });
  // The cluster merges objects on an update, so that an object would keep the tokens of the old text.
  const replaced = isPartial
    ? { ...withoutDense, ...embedded, text_sparse: [embedded.text_sparse ?? []].flat() }
    : embedded;
  return { kind: "written", doc: replaced, degraded: [...new Set([...(isUnknown ? ["text_dense"] : []), ...changed])] };
}
