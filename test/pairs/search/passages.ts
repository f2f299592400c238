import { embedderName, passagesBy } from "../../../lib/search/embeddings/embedder.ts";
import { hashOf } from "../../../lib/search/embeddings/passages.ts";
import { difference, type Finding, type Hit, isClose } from "../compare.ts";
import { type DenseModel, MODELS } from "../models.ts";
import type { SearchRow } from "./dimensions.ts";
import { DOCUMENTS } from "./documents.ts";

/** The field that has passages. */
const FIELD = "text_dense";

interface Part {
  text: string;
  start: number;
  end: number;
}

/** Words of a passage in the documents of a case. */
const WORDS = 3;

/** Returns the passages of a document of a case. */
function partsOf(text: string): Part[] {
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ start: index, end: index + word.length }));
  return words.flatMap(({ start }, at) => {
    if (at % WORDS > 0) return [];
    const { end } = words[Math.min(at + WORDS, words.length) - 1] as { end: number };
    return [{ text: text.slice(start, end), start, end }];
  });
}

/** Returns whether the index at a place of a case has passages. */
export const hasParts = ({ passages }: Pick<SearchRow, "passages">, place: number): boolean =>
  passages === "all" || (passages === "some" && place === 0);

/** Which of the indexes have passages that a case searches: of an exclusion it is the first one alone. */
export function searchedParts({ passages, form }: Pick<SearchRow, "passages" | "form">): SearchRow["passages"] {
  return passages === "some" && form === "exclusion" ? "all" : passages;
}

/** Returns what a document stores. */
export function storedParts(text: string, model: DenseModel, vectorOf: (text: string) => readonly number[]): object[] {
  const name = model === "before" ? "previous dense_large_en_v1_5" : "dense_large_en_v1_5";
  const made = MODELS.find((one) => embedderName(one) === name);
  return partsOf(text).map(({ text: part, start, end }) => ({
    vector: vectorOf(part),
    start,
    end,
    hash: made ? hashOf({ text: part }, passagesBy(made)) : "",
  }));
}

/**
 * Returns the native clause of a vector: the score of a document is that of its best passage. OpenSearch 2 applies a filter
 * of terms to the passages, which have none, so that a person filters the documents that were found.
 */
export function partsKnn(field: string, clause: { filter?: object }, version: string): object {
  const nested = (knn: object) => ({
    nested: { path: field, score_mode: "max", query: { knn: { [`${field}.vector`]: knn } } },
  });
  const { filter, ...rest } = clause;
  if (!filter) return nested(clause);
  const isOfParts = "terms" in filter && version.startsWith("2.");
  return { bool: { must: [nested(isOfParts ? rest : clause)], filter: [filter] } };
}

interface Marked extends Hit {
  highlight?: Record<string, unknown>;
  passages?: Record<string, unknown>;
}

/** Compares the best passages of hits with the nearest ones, and returns the hits without. */
export function withoutParts(
  hits: readonly Hit[],
  nearness: (text: string) => number,
): { hits: Hit[]; findings: Finding[] } {
  const findings: Finding[] = [];
  const left = hits.map((hit: Marked): Hit => {
    const { highlight = {}, passages, ...rest } = hit;
    const { [FIELD]: shown, ...others } = highlight;
    const parts = partsOf(DOCUMENTS.get(hit._id ?? "")?.text ?? "");
    const best = Math.max(...parts.map(({ text }) => nearness(text)));
    const one = parts.find(({ text }) => Array.isArray(shown) && shown[0] === text);
    const place = one && { [FIELD]: { start: one.start, end: one.end } };
    if (!one || !isClose(nearness(one.text), best)) {
      const expected = parts.filter(({ text }) => isClose(nearness(text), best));
      findings.push({ what: `best passage of ${hit._id}`, expected, got: shown ?? null });
    } else findings.push(...difference(`place of the best passage of ${hit._id}`, place, passages));
    return { ...rest, ...(Object.keys(others).length > 0 && { highlight: others }) };
  });
  return { hits: left, findings };
}
