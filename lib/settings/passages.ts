import * as v from "valibot";
import { integer, section } from "./kinds.ts";
import { CHUNKING } from "./vectors.ts";

/** Models whose own limit is 512 tokens, whatever model.yaml says. */
export const MAX_TOKENS = 450;

export const ChunkingSection = section(
  {
    tokens: v.optional(
      integer(
        20,
        2_000,
        "The most tokens of a passage, by an estimate: of characters for models on Bedrock, of words for others.",
      ),
      CHUNKING.tokens,
    ),
    overlap: v.optional(
      integer(0, 1_000, "Tokens with which a passage repeats the end of the one before; at most half of `tokens`."),
      CHUNKING.overlap,
    ),
    max_passages: v.optional(
      integer(1, 1_000, "The most passages of a document. The text behind them is not embedded."),
      CHUNKING.max_passages,
    ),
  },
  "Splits long texts into passages with an embedding each, so that nothing after the model's limit is lost: docs/guides/passages.md.",
);

/** How long passages are, and how many a document has. */
export type Chunking = v.InferOutput<typeof ChunkingSection>;
