import { type CorpusDocument, corpus } from "../../fixtures/corpus.ts";

/** What the documents of the first and the second index say, by the beginning of their ids. */
export const TEXTS = { d: corpus(36), e: corpus(50).slice(36) } as const;

/** The documents of both indexes, by their ids. */
export const DOCUMENTS: ReadonlyMap<string, CorpusDocument["doc"]> = new Map(
  Object.entries(TEXTS).flatMap(([prefix, texts]) => texts.map(({ doc }, at) => [`${prefix}${at}`, doc] as const)),
);

/** The filter of the documents of one genre. */
export const SEA = { term: { genre: "sea" } };
