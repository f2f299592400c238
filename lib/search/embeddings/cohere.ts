import type { ModelName } from "../../config/embedding-models.ts";
import { cutCharacters, jsonLiteral } from "./batches.ts";
import { checkDenseVector } from "./dense-vector.ts";
import { ModelAnswerError } from "./failure.ts";
import type { HostedModel } from "./hosted-embedder.ts";
import type { InputType, ModelClient } from "./model-client.ts";
import { parseJson, requireCount } from "./text-embeddings-inference.ts";

/** Texts per call and characters per text. Source: Bedrock's limits for Cohere Embed v3. */
const MAX_TEXTS = 96;
const MAX_CHARACTERS = 2_048;

/** Never reached: 96 texts of 2,048 characters are at most 96 * 2,048 * 6 bytes; Bedrock takes 25 MB. */
const MAX_BODY_BYTES = 25_000_000;

const INPUT_TYPE: Record<InputType, string> = { document: "search_document", query: "search_query" };

/**
 * Cohere Embed v3 on Bedrock. A text over 2,048 characters (counted in UTF-16 units, the stricter reading) is refused
 * by Bedrock whatever `truncate` says, so it is cut here; `truncate` covers the model's 512 tokens.
 */
export function cohereModel(options: {
  model: ModelName;
  client: ModelClient;
  modelId: string;
  dimension: number;
}): HostedModel {
  const { model, client, modelId, dimension } = options;
  return {
    model,
    limits: { texts: MAX_TEXTS, bytes: MAX_BODY_BYTES },
    json: (text) => jsonLiteral(cutCharacters(text, MAX_CHARACTERS)),
    body: (literals, input) => `{"texts":[${literals.join(",")}],"input_type":"${INPUT_TYPE[input]}","truncate":"END"}`,
    invoke: (body, timeoutMs) => client.invoke(modelId, body, timeoutMs),
    parse: (answer, count) =>
      requireCount(vectors(parseJson(answer)), count).map((vector) => checkDenseVector(vector, dimension)),
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
