import { MODELS, type ModelName } from "./embedding-models.ts";

/** How a text is split: 400 estimated tokens leave room for the models' 512, see docs/guides/passages.md. */
export const CHUNKING = { tokens: 400, overlap: 50, max_passages: 50 } as const;

/** Returns whether passages for a model are measured by characters: its tokenizer is not known. */
export const isByCharacters = (model: ModelName): boolean => MODELS[model].host === "bedrock";

/** Returns the field that holds the vectors of an embedding field with passages. */
export const passageVector = (field: string): string => `${field}.vector`;

/** Values that are read with a passage and never searched for. */
const STORED = { index: false, doc_values: false };

/** Returns the field of a mapping that stores passages, each with its vector. */
export const passagesField = (vector: Record<string, unknown>): Record<string, unknown> => ({
  type: "nested",
  properties: {
    vector,
    start: { type: "integer", ...STORED },
    end: { type: "integer", ...STORED },
    hash: { type: "keyword", ...STORED },
  },
});
