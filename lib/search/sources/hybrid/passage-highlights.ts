import type { Degradation } from "../../../platform/http/degradation.ts";
import { lookup } from "../../../platform/json/lookup.ts";
import { memberSlices, withMembers } from "../../../platform/json/slices.ts";
import type { Deadline } from "../../../platform/resilience/deadline.ts";
import { passageVector } from "../../../settings/vectors.ts";
import { sourceText } from "../../bulk/needs.ts";
import { byteVector } from "../../embeddings/byte-vector.ts";
import { type Embedding, embedderName, passagesBy } from "../../embeddings/embedder.ts";
import { hashOf } from "../../embeddings/passages.ts";
import type { SourceTools } from "../../gateway/tools.ts";
import { hidingOf } from "../../opensearch/hidden-fields.ts";
import { sourcePatterns } from "../../opensearch/source-fields.ts";
import { type Hit, hitTexts, type SearchAnswer, withHits } from "../../page/answer.ts";
import { readAgain } from "../../page/read-again.ts";
import { StageError } from "../../page/stage.ts";
import type { HybridTarget } from "./target.ts";

interface HighlightRequest {
  /** The index expression that is searched. */
  index: string;
  target: HybridTarget;
  /** The fields whose best passages to add. */
  fields: readonly string[];
  /** The embeddings of the query text by field. */
  embeddings: ReadonlyMap<string, Embedding>;
}

/** A passage of a hit. */
interface Best {
  text: string;
  start: number;
  end: number;
}

/**
 * Adds the passage nearest to the query, and its position, to each hit's highlights. A second search for the hits of
 * the page compares the query with each of their passages. It works alike in all versions: not every version supports
 * inner hits of hybrid queries, and a hit of another subquery would have none.
 */
export async function withBestPassages(
  { cluster, catalog, settings }: Pick<SourceTools, "cluster" | "catalog" | "settings">,
  request: HighlightRequest,
  answer: SearchAnswer,
  deadline: Deadline,
): Promise<{ answer: SearchAnswer; degraded: Degradation[] }> {
  const { index, target, fields, embeddings } = request;
  const lacking = fields.filter((field) => embeddings.get(field)?.kind !== "dense");
  const able = fields.filter((field) => !lacking.includes(field));
  const degraded = lacking.map((field) => degradation(field, "the text of the search has no embedding of this field"));
  if (able.length === 0) return { answer, degraded };
  const mappings = target.embedding_mappings.filter(({ embedding_field }) => able.includes(embedding_field));
  const ids = [...new Set(answer.hits.map(({ _id }) => _id))];
  const read = {
    query: { bool: { filter: [{ ids: { values: ids } }], should: able.map((field) => bestOf(field, request)) } },
    _source: sourcePatterns(mappings.flatMap(({ src_fields }) => src_fields)),
  };
  try {
    const indexes = await catalog.resolve(index, deadline);
    for (const { embedding_field: field, src_fields } of mappings) {
      const hiding = hidingOf(indexes, [`${field}.start`, ...src_fields]);
      if (hiding !== undefined) degraded.push(degradation(field, hiding));
    }
    const found = await readAgain(cluster, { index, hits: answer.hits, fields: able, read }, deadline);
    const texts = hitTexts(answer).map((text, at) => {
      const hit = found[at];
      const best = mappings.flatMap(({ embedding_field: field, src_fields }) => {
        const one = hit && passageOf(hit, { field, src_fields, madeBy: madeBy(settings, target, field) });
        return one ? [[field, one] as const] : [];
      });
      return best.length === 0 ? text : withPassages(text, best);
    });
    return { answer: { ...answer, text: withHits(answer, texts) }, degraded };
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    return { answer, degraded: [...degraded, ...able.map((field) => degradation(field, error.message))] };
  }
}

const degradation = (field: string, reason: string): Degradation => ({
  stage: "passages",
  target: field,
  reason,
  effect: "hits do not show their best passages",
});

function bestOf(field: string, { embeddings, target }: HighlightRequest): object {
  const embedding = embeddings.get(field);
  const vector = embedding?.kind === "dense" ? embedding.vector : [];
  const params = {
    field: passageVector(field),
    query_value: target.stored.get(field) === "byte" ? byteVector(vector) : vector,
    space_type: "cosinesimil",
  };
  const script = { lang: "knn", source: "knn_score", params };
  const shown = ["start", "end", "hash"].map((one) => `${field}.${one}`);
  return {
    nested: {
      path: field,
      score_mode: "max",
      query: { script_score: { query: { match_all: {} }, script } },
      inner_hits: { name: field, size: 1, _source: shown },
    },
  };
}

function madeBy({ models }: SourceTools["settings"], { embedders }: HybridTarget, field: string): string {
  const model = models.find((one) => embedderName(one) === embedders.get(field));
  return model ? passagesBy(model) : "";
}

/** Returns the best passage of a document; undefined if it has none, or if its text no longer matches its passages. */
function passageOf(
  hit: Hit,
  { field, src_fields, madeBy }: { field: string; src_fields: readonly string[]; madeBy: string },
): Best | undefined {
  const { inner_hits } = hit as { inner_hits?: Record<string, { hits: { hits: Hit[] } }> };
  const { start, end, hash } = inner_hits?.[field]?.hits.hits[0]?._source ?? {};
  if (typeof start !== "number" || typeof end !== "number") return undefined;
  const texts = src_fields.flatMap((path) => {
    const source = sourceText(lookup(hit._source ?? {}, path).values);
    return "texts" in source ? source.texts : [];
  });
  const text = texts.join("\n").slice(start, end);
  return hashOf({ text }, madeBy) === hash ? { text, start, end } : undefined;
}

/** Adds passages to a hit's highlights, and their positions in the embedded text. */
function withPassages(hit: string, best: ReadonlyArray<readonly [string, Best]>): string {
  const slice = memberSlices(hit).get("highlight");
  const before = slice ? hit.slice(slice.start, slice.end) : "{}";
  const texts = Object.fromEntries(best.map(([field, { text }]) => [field, JSON.stringify([text])]));
  const places = Object.fromEntries(best.map(([field, { start, end }]) => [field, { start, end }]));
  return withMembers(hit, { highlight: withMembers(before, texts), passages: JSON.stringify(places) });
}
