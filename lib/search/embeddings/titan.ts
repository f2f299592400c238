import type { ModelName } from "../../config/embedding-models.ts";
import { cutCharacters, jsonLiteral } from "./batches.ts";
import { readVectors } from "./dense-vector.ts";
import { ModelAnswerError } from "./failure.ts";
import type { HostedModel } from "./hosted-embedder.ts";
import type { ModelClient } from "./model-client.ts";

/**
 * Characters per text. Titan refuses a text of more than 8,192 tokens instead of truncating it, and a token is seldom
 * less than a character. Source: Amazon Bedrock User Guide, "Amazon Titan Text Embeddings models".
 */
const MAX_CHARACTERS = 8_192;

/** Bytes of a request to Bedrock, which one text never reaches. */
const MAX_BODY_BYTES = 25_000_000;

/** Amazon Titan Text Embeddings on Bedrock: one text per call. Only version 2 lets the caller choose the dimension. */
export function titanModel(options: {
  model: ModelName;
  client: ModelClient;
  modelId: string;
  dimension: number;
}): HostedModel {
  const { model, client, modelId, dimension } = options;
  const chosen = modelId.includes("-v2") ? `,"dimensions":${dimension},"normalize":true` : "";
  return {
    model,
    limits: { texts: 1, bytes: MAX_BODY_BYTES },
    json: (text) => jsonLiteral(cutCharacters(text, MAX_CHARACTERS)),
    body: ([literal = '""']) => `{"inputText":${literal}${chosen}}`,
    invoke: (body, timeoutMs) => client.invoke(modelId, body, timeoutMs),
    parse: (answer) => readVectors(answer, 1, dimension, vectors),
  };
}

/** Returns the only vector as a list. Its place is empty while it is cut out. */
function vectors(answer: unknown): unknown[] {
  const { embedding } = (answer ?? {}) as { embedding?: unknown };
  if (Array.isArray(embedding)) return typeof embedding[0] === "string" ? embedding : [embedding];
  throw new ModelAnswerError("model answered without an embedding");
}
