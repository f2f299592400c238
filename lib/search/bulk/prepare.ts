import { ApiError } from "../../platform/http/error.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { MODELS } from "../../settings/embedding-models.ts";
import { byteVectorJson } from "../embeddings/byte-vector.ts";
import { type DocumentEmbedding, type Embedder, type EmbedderName, EmbeddingError } from "../embeddings/embedder.ts";
import type { EmbeddingMapping } from "../gateway/settings.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import { type Draft, isPiece, NO_DOCUMENT, type Piece } from "./draft.ts";
import { type Need, needOf } from "./needs.ts";
import type { DocumentOf, Guard, Operation } from "./operations.ts";
import { passagesJson, storedUnless, withStored } from "./passages.ts";
import type { ItemError } from "./send.ts";
import { readStored, type StoredDocument } from "./stored.ts";
import type { BulkTarget, TargetMapping } from "./target.ts";
import type { ModelText, TextPool } from "./text-pool.ts";

/** Services and state that turn operations into drafts. */
export interface Preparation {
  cluster: Cluster;
  target: BulkTarget;
  deadline: Deadline;
  pool: TextPool;
  embedder: (model: EmbedderName) => Promise<Embedder>;
  documentOf: DocumentOf;
  /** The needs of each operation, one for each mapping, as far as the request alone determines them. */
  needs: ReadonlyMap<Operation, readonly Need[]>;
  /** The embedded texts of each operation, kept for comparison if an ingest pipeline may change them. */
  embedded: Map<Operation, readonly Need[]>;
  /** Returns the version that an operation has written. */
  writtenBy: (operation: Operation) => Guard | undefined;
  /** Called when an operation will be stored without an embedding. */
  onDegraded: (operation: Operation, field: string, reason: string) => void;
}

/** Operations that are ready to be written, and failed ones. */
export interface Prepared {
  drafts: Draft[];
  failed: Map<Operation, ItemError>;
  /** Why stored documents could not be read; undefined if they could. */
  failure?: ApiError;
}

interface Planned {
  operation: Operation;
  needs: readonly Need[];
  /** The version that the needs were computed from. */
  guard?: Guard | undefined;
}

/** Yields the texts that operations need embedded, as far as the request alone determines them. */
export function* textsOf({ target, needs }: Preparation, operations: readonly Operation[]): Generator<ModelText> {
  for (const operation of operations) yield* modelTexts(target.mappings, needs.get(operation) ?? []);
}

/** Returns the drafts of a window with their embeddings, in the window's order. */
export async function prepare(preparation: Preparation, operations: readonly Operation[]): Promise<Prepared> {
  const planned: Planned[] = [];
  const stale: Operation[] = [];
  for (const operation of operations) {
    const needs = preparation.needs.get(operation) ?? [];
    const afterPrevious = needs.some((need) => "afterPrevious" in need && need.afterPrevious);
    const guard = afterPrevious && operation.previous ? preparation.writtenBy(operation.previous) : undefined;
    // After a delete the version still exists, but no document that an update could change.
    const deleted = operation.upsert && operation.previous?.op === "delete";
    const unknown = needs.some(({ kind }) => kind === "stored") || (afterPrevious && (!guard || deleted));
    if (unknown) stale.push(operation);
    else planned.push({ operation, needs, guard });
  }
  const prepared = await draft(preparation, planned);
  if (stale.length === 0) return prepared;
  const fromStored = await prepareFromStored(preparation, stale);
  const drafts = [...prepared.drafts, ...fromStored.drafts].sort((a, b) => a.operation.position - b.operation.position);
  return { ...fromStored, drafts, failed: new Map([...prepared.failed, ...fromStored.failed]) };
}

/**
 * Returns drafts of updates whose text is partly in the stored document. Reads the documents in one call, and makes
 * each draft conditional on the version that was read.
 */
export async function prepareFromStored(preparation: Preparation, operations: readonly Operation[]): Promise<Prepared> {
  const { cluster, target, deadline, documentOf } = preparation;
  const stores = target.mappings.filter(({ passages }) => passages?.isStored);
  const fields = [...target.mappings.flatMap(({ src_fields }) => src_fields), ...stores.map(fieldOf)];
  const paths = [...new Set(fields)];
  let stored: ReadonlyMap<string, StoredDocument>;
  try {
    stored = await readStored(cluster, target.readName, operations, deadline, paths);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const reason = `the stored document could not be read: ${error.message}`;
    const failure = { status: 503, type: error.code, reason, retryable: true };
    return { drafts: [], failed: new Map(operations.map((operation) => [operation, failure])), failure: error };
  }
  const planned = operations.map((operation): Planned => {
    const document = stored.get(operation.id);
    const fields = document ? (JSON.parse(document.source) as Record<string, unknown>) : {};
    const doc = documentOf(operation);
    const needs = target.mappings.map((mapping) =>
      withStored(
        needOf(operation, doc, mapping, { fields, complete: true, isShown: document !== undefined }),
        mapping,
        fields,
      ),
    );
    return { operation, needs, guard: document?.guard ?? NO_DOCUMENT };
  });
  preparation.pool.start(planned.flatMap(({ needs }) => [...modelTexts(target.mappings, needs)]));
  return draft(preparation, planned);
}

/** Yields the texts of an operation's needs, with their models. */
export function* modelTexts(mappings: readonly TargetMapping[], needs: readonly Need[]): Generator<ModelText> {
  for (const [index, need] of needs.entries()) {
    const mapping = mappings[index];
    if (need.kind !== "text" || !mapping || !("embedder" in mapping)) continue;
    const model = mapping.embedder;
    if (!need.passages) yield { model, text: need.text };
    else for (const { stored, text } of need.passages) if (stored === undefined) yield { model, text };
  }
}

async function draft(preparation: Preparation, planned: readonly Planned[]): Promise<Prepared> {
  const { target, pool } = preparation;
  const drafts: Draft[] = [];
  const failed = new Map<Operation, ItemError>();
  for (const { operation, needs, guard } of planned) {
    const changes: Record<string, Piece> = {};
    let failure = conflictOf(operation, guard);
    for (const [index, mapping] of target.mappings.entries()) {
      const need = needs[index];
      if (!need) continue;
      const change = await changeOf(preparation, operation, mapping, need);
      if (change !== undefined && isPiece(change)) changes[mapping.embedding_field] = change;
      else failure ??= change;
    }
    for (const text of modelTexts(target.mappings, needs)) pool.release(text);
    if (failure) failed.set(operation, failure);
    else {
      const allowed = guard === NO_DOCUMENT ? guard : (operation.guard ?? guard);
      drafts.push({ operation, changes, ...(allowed && { guard: allowed }) });
      if (target.isPiped) preparation.embedded.set(operation, needs);
    }
  }
  return { drafts, failed };
}

/**
 * Returns a conflict error, worded like the cluster's, if the caller's version differs from that which the needs were
 * computed from. A missing document is reported by the cluster itself.
 */
function conflictOf({ id, guard: allowed }: Operation, read: Guard | undefined): ItemError | undefined {
  if (!allowed || !read || read === NO_DOCUMENT) return undefined;
  if (allowed.seqNo === read.seqNo && allowed.primaryTerm === read.primaryTerm) return undefined;
  const reason =
    `[${id}]: version conflict, required seqNo [${allowed.seqNo}], primary term [${allowed.primaryTerm}]. ` +
    `current document has seqNo [${read.seqNo}] and primary term [${read.primaryTerm}]`;
  return { status: 409, type: "version_conflict_engine_exception", reason, retryable: false };
}

/**
 * Returns the JSON for the embedding field; undefined to leave the field alone; or the reason why the operation fails.
 */
async function changeOf(
  preparation: Preparation,
  operation: Operation,
  mapping: TargetMapping,
  need: Need,
): Promise<Piece | ItemError | undefined> {
  const { target, pool, onDegraded } = preparation;
  const { embedding_field: field, model_name: model } = mapping;
  switch (need.kind) {
    case "none":
    case "stored":
      return undefined;
    case "empty":
      if (mapping.unheld !== undefined) onDegraded(operation, field, mapping.unheld);
      return absent(operation, model);
    case "wrong":
      return { status: 400, type: "invalid_source_text", reason: need.reason, retryable: false };
    case "hidden":
      return { status: 400, type: "hidden_source_field", reason: need.reason, retryable: false };
    case "text": {
      if ("incompatible" in mapping) {
        onDegraded(operation, field, mapping.incompatible);
        return absent(operation, model);
      }
      const { embedder, passages } = mapping;
      const stored = (embedded: DocumentEmbedding) => storedJson(preparation, operation, embedded, mapping);
      const embed = (text: string) => pool.get({ model: embedder, text });
      const json = passages
        ? await passagesJson(need.passages ?? [], passages, { embed, stored })
        : await storedUnless(await embed(need.text), stored);
      if (!(json instanceof EmbeddingError)) return json;
      const { message, retryable, retryAfterSeconds: retryAfter } = json;
      if (target.onFailure === "fail") {
        return { status: 503, type: "embedding_failed", reason: `${field}: ${message}`, retryable, retryAfter };
      }
      onDegraded(operation, field, message);
      return absent(operation, model);
    }
  }
}

const fieldOf = ({ embedding_field }: EmbeddingMapping): string => embedding_field;

/** Returns the JSON of an embedding in the field's storage format. */
async function storedJson(
  { embedder }: Preparation,
  operation: Operation,
  embedded: DocumentEmbedding,
  mapping: TargetMapping,
): Promise<Piece> {
  const { vectors } = mapping;
  if (vectors === "byte") return byteVectorJson(embedded.json.toString());
  if (vectors !== "sparse_vector" || embedded.kind !== "sparse" || !("embedder" in mapping)) {
    return embeddingJson(operation, embedded);
  }
  const tokens = await (await embedder(mapping.embedder)).byId?.(JSON.parse(embedded.json));
  // The field does not accept an object without tokens.
  if (!tokens || Object.keys(tokens).length === 0) return "[]";
  return embeddingJson(operation, { kind: "sparse", json: JSON.stringify(tokens) });
}

/**
 * Returns the JSON of an embedding. In an update, a sparse embedding is a list of one object: the cluster would merge
 * an object with the tokens of the old text, but it replaces a list, and `rank_features` accepts one.
 */
function embeddingJson({ op }: Operation, { kind, json }: DocumentEmbedding): Piece {
  return op === "update" && kind === "sparse" ? `[${json}]` : json;
}

/**
 * Returns the JSON for a document without embedding; undefined if nothing is to be written. An update must remove the
 * old embedding. For a `knn_vector` that is null, which `rank_features` rejects; for `rank_features` an empty list,
 * which `knn_vector` rejects.
 */
function absent({ op }: Operation, model: EmbeddingMapping["model_name"]): string | undefined {
  if (op !== "update") return undefined;
  return MODELS[model].kind === "dense" ? "null" : "[]";
}

/** Returns how often each text is needed, and whether more texts may follow, so that all embeddings must be kept. */
export function usesOf(needs: ReadonlyMap<Operation, readonly Need[]>, { mappings }: BulkTarget) {
  const uses = new Map<EmbedderName, Map<string, number>>();
  let keepAll = false;
  for (const ofOperation of needs.values()) {
    for (const { model, text } of modelTexts(mappings, ofOperation)) {
      const counts = uses.get(model) ?? new Map<string, number>();
      uses.set(model, counts.set(text, (counts.get(text) ?? 0) + 1));
    }
    keepAll ||= ofOperation.some((need) => need.kind === "stored" || ("afterPrevious" in need && need.afterPrevious));
  }
  return { uses, keepAll };
}
