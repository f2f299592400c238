import { byteVector } from "../../../lib/search/embeddings/byte-vector.ts";
import type { PairModels } from "../models.ts";
import { FAILING_WORD } from "../models.ts";
import type { WriteRow } from "./dimensions.ts";

export type Doc = Record<string, unknown>;

/** The document that exists before, if one does. */
export const BEFORE: Doc = { text: "caravan dune", brand: { name: "Acme" }, n: 1 };

/** A number that only a parser without rounding keeps. */
const PRECISE = "9007199254740993";

/** Embeddings that a caller brings along. */
const OWN = Array.from({ length: 1_024 }, (_, at) => (at === 3 ? 1 : 0));
const OWN_TOKENS = [{ "2000": 1.5 }];

/** Returns a text of three passages: each sentence has 15 tokens, and a passage ends behind 14 to 20. */
const sentences = (words: string): string =>
  [words, "storm lamp", "caravan dune"]
    .map((first) => [first, ...FILLING.slice(0, 14 - tokensIn(first))].join(" "))
    .map((sentence) => `${sentence}.`)
    .join(" ");

/** Words of one token. */
const FILLING = ["tide", "sail", "sand", "well", "moss", "path", "oak", "fox", "tram", "camel", "river", "tower"];

/** Returns the tokens of a text by the estimate of the guide: one for five letters begun, and one for each sign. */
const tokensIn = (text: string): number =>
  (text.match(/[a-z0-9]+|[^\sa-z0-9]/gi) ?? []).reduce((sum, word) => sum + Math.ceil(word.length / 5), 0);

/** Whether the index has a field with dense vectors. */
export const hasDense = ({ vectors }: WriteRow): boolean => vectors !== "sparse_vector";

/** How texts are split in every case with an entry that says so. */
export const WRITE_CHUNKING = { tokens: 20, overlap: 0, max_passages: 2 } as const;

/** Whether a document stores passages: the index decides. */
export const storesParts = ({ passages }: WriteRow): boolean => passages === "both" || passages === "index";

/** Whether the entry says how long passages are; otherwise they are longer than any text of a case. */
const isSplit = ({ passages }: WriteRow): boolean => passages === "both" || passages === "entry";

/** Returns the passages of a text as a person cuts it: at most two, of a sentence each. */
function partsOf(text: string, row: WriteRow): Array<{ text: string; start: number; end: number }> {
  const ends = isSplit(row) && tokensIn(text) > WRITE_CHUNKING.tokens ? [...text.matchAll(/\.(?=\s|$)/g)] : [];
  const places = ends.length > 0 ? ends.map(({ index }) => index + 1) : [text.length];
  return places.slice(0, WRITE_CHUNKING.max_passages).map((end, at) => {
    const start = at === 0 ? 0 : (places[at - 1] ?? 0) + 1;
    return { text: text.slice(start, end), start, end };
  });
}

/** Returns the document of a case as JSON text, and parsed. */
export function documentOf(row: WriteRow): { json: string; doc: Doc } {
  const { fields, model } = row;
  const hasParts = storesParts(row);
  const words = model === "down" ? `salt road ${FAILING_WORD}` : "salt road";
  const docs: Record<WriteRow["fields"], Doc> = {
    text: { text: words, n: 2 },
    array: { text: [words, "storm lamp"], n: 2 },
    null: { text: null, n: 2 },
    "null-in-array": { text: [words, null, "lamp"], n: 2 },
    none: { n: 2, genre: "sea" },
    dotted: { text: words, "brand.name": "Dotty", n: 2 },
    number: { text: 7, n: 2 },
    "own-vector": {
      text: "salt road",
      ...(hasDense(row) ? { text_dense: hasParts ? [{ vector: OWN }] : OWN } : { text_sparse: OWN_TOKENS }),
      n: 2,
    },
    precise: { text: words, n: "@" },
    object: { text: { deep: "salt" }, n: 2 },
    long: { text: sentences(words), n: 2 },
  };
  const doc = docs[fields];
  return {
    json: JSON.stringify(doc).replace('"@"', PRECISE),
    doc: fields === "precise" ? { ...doc, n: PRECISE } : doc,
  };
}

/** Parses JSON with numbers that would be rounded as texts. */
export const parsePrecise = (text: string): unknown => JSON.parse(text.replaceAll(/:(\d{16,})(?=[,}])/g, ':"$1"'));

/** Returns the text that is embedded; undefined if a source field has a value that is not a text, which the guide excludes. */
export function embeddedText(doc: Doc): string | undefined {
  const brand = (doc.brand as Doc | undefined)?.name ?? doc["brand.name"];
  const parts = [doc.text, brand].flat().filter((value) => value !== null && value !== undefined);
  if (parts.some((part) => typeof part !== "string")) return undefined;
  return parts.filter((part) => String(part).trim() !== "").join("\n");
}

/** Returns the embeddings that a person adds to a document before writing it. */
export function withEmbeddings(
  doc: Doc,
  text: string,
  models: PairModels,
  { model, row }: { model: "large" | "before" | undefined; row: WriteRow },
): Doc {
  if (text === "") return doc;
  const vectorOf = (one: string, name: "large" | "before") =>
    row.vectors === "byte" ? byteVector(models.dense(one, name)) : models.dense(one, name);
  const dense = (name: "large" | "before") =>
    storesParts(row)
      ? partsOf(text, row).map(({ text: part, start, end }) => ({ vector: vectorOf(part, name), start, end }))
      : vectorOf(text, name);
  const weights = isSplit(row) ? mostOf(partsOf(text, row), models) : models.sparseOfDocument(text);
  return {
    ...doc,
    ...(model && hasDense(row) && doc.text_dense === undefined && { text_dense: dense(model) }),
    text_sparse: doc.text_sparse ?? (row.vectors === "sparse_vector" ? models.byId(weights) : weights),
  };
}

/** Returns the greatest weight of each token in any passage. */
function mostOf(parts: ReadonlyArray<{ text: string }>, models: PairModels): Record<string, number> {
  const most: Record<string, number> = {};
  for (const [token, weight] of parts.flatMap(({ text }) => Object.entries(models.sparseOfDocument(text)))) {
    most[token] = Math.max(weight, most[token] ?? 0);
  }
  return most;
}

const withoutHash = ({ hash: _, ...rest }: Doc): Doc => rest;

/** Returns passages without what only the gateway needs; other embeddings as they are. */
const withoutHashes = (dense: unknown): unknown =>
  Array.isArray(dense) ? dense.map((one) => (typeof one === "object" ? withoutHash(one) : one)) : dense;

/** Returns a stored document in one form: a list of one object is that object, and null and empty lists are absent. */
export function comparable(doc: Doc | undefined): Doc | undefined {
  if (doc === undefined) return undefined;
  const { text_dense: dense, text_sparse: sparse, ...others } = doc;
  const [first] = [sparse].flat();
  const isEmpty = dense == null || (Array.isArray(dense) && dense.length === 0);
  return {
    ...others,
    ...(!isEmpty && { text_dense: withoutHashes(dense) }),
    ...(first != null && { text_sparse: first }),
  };
}
