import type { PairModels } from "../models.ts";
import { FAILING_WORD } from "../models.ts";
import type { WriteRow } from "./dimensions.ts";

export type Doc = Record<string, unknown>;

/** The document that exists before, if one does. */
export const BEFORE: Doc = { text: "caravan dune", brand: { name: "Acme" }, n: 1 };

/** A number that only a parser without rounding keeps. */
const PRECISE = "9007199254740993";

/** Returns the document of a case as JSON text, and parsed. */
export function documentOf({ fields, model }: WriteRow): { json: string; doc: Doc } {
  const words = model === "down" ? `salt road ${FAILING_WORD}` : "salt road";
  const docs: Record<WriteRow["fields"], Doc> = {
    text: { text: words, n: 2 },
    array: { text: [words, "storm lamp"], n: 2 },
    null: { text: null, n: 2 },
    "null-in-array": { text: [words, null, "lamp"], n: 2 },
    none: { n: 2, genre: "sea" },
    dotted: { text: words, "brand.name": "Dotty", n: 2 },
    number: { text: 7, n: 2 },
    "own-vector": { text: "salt road", text_dense: Array.from({ length: 1_024 }, (_, at) => (at === 3 ? 1 : 0)), n: 2 },
    precise: { text: words, n: "@" },
    object: { text: { deep: "salt" }, n: 2 },
  };
  const doc = docs[fields];
  return {
    json: JSON.stringify(doc).replace('"@"', PRECISE),
    doc: fields === "precise" ? { ...doc, n: PRECISE } : doc,
  };
}

/** Parses JSON with numbers that would be rounded as texts. */
export const parsePrecise = (text: string): unknown => JSON.parse(text.replaceAll(/:(\d{16,})(?=[,}])/g, ':"$1"'));

/** Returns the text that is embedded; undefined if a source field is none that the guide lets through. */
export function embeddedText(doc: Doc): string | undefined {
  const brand = (doc.brand as Doc | undefined)?.name ?? doc["brand.name"];
  const parts = [doc.text, brand].flat().filter((value) => value !== null && value !== undefined);
  if (parts.some((part) => typeof part !== "string")) return undefined;
  return parts.filter((part) => String(part).trim() !== "").join("\n");
}

/** Returns the embeddings that a person adds to a document before writing it. */
export function withEmbeddings(doc: Doc, text: string, models: PairModels, model: "large" | "before" | undefined): Doc {
  if (text === "") return doc;
  return {
    ...doc,
    ...(model && doc.text_dense === undefined && { text_dense: models.dense(text, model) }),
    text_sparse: models.sparseOfDocument(text),
  };
}

/** Returns a stored document in one form: a list of one object is that object, and null and empty lists are absent. */
export function comparable(doc: Doc | undefined): Doc | undefined {
  if (doc === undefined) return undefined;
  const { text_dense: dense, text_sparse: sparse, ...others } = doc;
  const [first] = [sparse].flat();
  return { ...others, ...(dense != null && { text_dense: dense }), ...(first != null && { text_sparse: first }) };
}
