import type { ModelName } from "../../config/embedding-models.ts";
import { cutCharacters, jsonLiteral } from "./batches.ts";
import { readVectors } from "./dense-vector.ts";
import { ModelAnswerError } from "./failure.ts";
import type { HostedModel } from "./hosted-embedder.ts";
import type { InputType, ModelClient } from "./model-client.ts";

/** Texts per call, and characters per text of Embed v3. Source: Bedrock's limits for Cohere Embed. */
const MAX_TEXTS = 96;
const MAX_CHARACTERS = 2_048;

/** Characters per text of Embed v4, which takes 128,000 tokens: bounds the cost of a long document. */
const MAX_CHARACTERS_V4 = 8_192;

/** Never reached: 96 texts of 8,192 characters are at most 96 * 8,192 * 6 bytes; Bedrock takes 25 MB. */
const MAX_BODY_BYTES = 25_000_000;

const INPUT_TYPE: Record<InputType, string> = { document: "search_document", query: "search_query" };

/**
 * Cohere Embed on Bedrock. For v3, a text over 2,048 characters (counted in UTF-16 units, the stricter reading) is refused
 * by Bedrock whatever `truncate` says, so it is cut here; `truncate` covers the model's 512 tokens. Version 4 lets the
 * caller choose the dimension, and has other words for `truncate`.
 */
export function cohereModel(options: {
  model: ModelName;
  client: ModelClient;
  modelId: string;
  dimension: number;
}): HostedModel {
  const { model, client, modelId, dimension } = options;
  const v4 = modelId.includes("embed-v4");
  const most = v4 ? MAX_CHARACTERS_V4 : MAX_CHARACTERS;
  const rest = v4 ? `"RIGHT","output_dimension":${dimension},"embedding_types":["float"]` : '"END"';
  return {
    model,
    limits: { texts: MAX_TEXTS, bytes: MAX_BODY_BYTES },
    json: (text) => jsonLiteral(cutCharacters(text, most)),
    body: (literals, input) =>
      `{"texts":[${literals.join(",")}],"input_type":"${INPUT_TYPE[input]}","truncate":${rest}}`,
    invoke: (body, timeoutMs) => client.invoke(modelId, body, timeoutMs),
    parse: (answer, count) => readVectors(answer, count, dimension, vectors),
  };
}

/** Returns the vectors of both forms of the answer: `embeddings: [[…]]` and `embeddings: {float: [[…]]}`. */
function vectors(answer: unknown): unknown[] {
  const { embeddings } = (answer ?? {}) as { embeddings?: unknown };
  if (Array.isArray(embeddings)) return embeddings;
  const { float } = (embeddings ?? {}) as { float?: unknown };
  if (Array.isArray(float)) return float;
  throw new ModelAnswerError("model answered without embeddings");
}
