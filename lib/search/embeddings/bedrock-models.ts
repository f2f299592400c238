import type { ModelName } from "../../settings/embedding-models.ts";
import { cutCharacters, jsonLiteral } from "./batches.ts";
import { readVectors } from "./dense-vector.ts";
import { ModelAnswerError } from "./failure.ts";
import type { HostedModel } from "./model-calls.ts";
import type { InputType, ModelClient } from "./model-client.ts";

/** Bytes of a request to Bedrock. Never reached: 96 texts of 8,192 characters are at most 96 * 8,192 * 6 bytes. */
const MAX_BODY_BYTES = 25_000_000;

interface BedrockModel {
  model: ModelName;
  client: ModelClient;
  modelId: string;
  dimension: number;
  /** Texts before queries and documents. */
  prefixes?: Readonly<Record<InputType, string>>;
}

const NO_PREFIXES = { query: "", document: "" };

/** Texts per call, and characters per text of Embed v3. Source: Bedrock's limits for Cohere Embed. */
const COHERE_TEXTS = 96;
const COHERE_CHARACTERS = 2_048;

/** Characters per text of Embed v4, which takes 128,000 tokens: bounds the cost of a long document. */
const COHERE_CHARACTERS_V4 = 8_192;

const INPUT_TYPE: Record<InputType, string> = { document: "search_document", query: "search_query" };

/**
 * Cohere Embed on Bedrock. For v3, a text over 2,048 characters (counted in UTF-16 units, the stricter reading) is refused
 * by Bedrock whatever `truncate` says, so it is cut here; `truncate` covers the model's 512 tokens. Version 4 lets the
 * caller choose the dimension, and has other words for `truncate`.
 */
export function cohereModel({ model, client, modelId, dimension, prefixes = NO_PREFIXES }: BedrockModel): HostedModel {
  const v4 = modelId.includes("embed-v4");
  const most = v4 ? COHERE_CHARACTERS_V4 : COHERE_CHARACTERS;
  const rest = v4 ? `"RIGHT","output_dimension":${dimension},"embedding_types":["float"]` : '"END"';
  return {
    model,
    limits: { texts: COHERE_TEXTS, bytes: MAX_BODY_BYTES },
    json: (text, input) => jsonLiteral(cutCharacters(prefixes[input] + text, most)),
    body: (literals, input) =>
      `{"texts":[${literals.join(",")}],"input_type":"${INPUT_TYPE[input]}","truncate":${rest}}`,
    invoke: (body, timeoutMs) => client.invoke(modelId, body, timeoutMs),
    parse: (answer, count) => readVectors(answer, count, dimension, vectorsIn),
  };
}

/** Returns the vectors of both forms of the answer: `embeddings: [[…]]` and `embeddings: {float: [[…]]}`. */
function vectorsIn(answer: unknown): unknown[] {
  const { embeddings } = (answer ?? {}) as { embeddings?: unknown };
  if (Array.isArray(embeddings)) return embeddings;
  const { float } = (embeddings ?? {}) as { float?: unknown };
  if (Array.isArray(float)) return float;
  throw new ModelAnswerError("model answered without embeddings");
}

/**
 * Characters per text. Titan refuses a text of more than 8,192 tokens instead of truncating it, and a token is seldom
 * less than a character. Source: Amazon Bedrock User Guide, "Amazon Titan Text Embeddings models".
 */
const TITAN_CHARACTERS = 8_192;

/** Amazon Titan Text Embeddings on Bedrock: one text per call. Only version 2 lets the caller choose the dimension. */
export function titanModel({ model, client, modelId, dimension, prefixes = NO_PREFIXES }: BedrockModel): HostedModel {
  const chosen = modelId.includes("-v2") ? `,"dimensions":${dimension},"normalize":true` : "";
  return {
    model,
    limits: { texts: 1, bytes: MAX_BODY_BYTES },
    json: (text, input) => jsonLiteral(cutCharacters(prefixes[input] + text, TITAN_CHARACTERS)),
    body: ([literal = '""']) => `{"inputText":${literal}${chosen}}`,
    invoke: (body, timeoutMs) => client.invoke(modelId, body, timeoutMs),
    parse: (answer) => readVectors(answer, 1, dimension, onlyVector),
  };
}

/** Returns the only vector as a list. Its place is empty while it is cut out. */
function onlyVector(answer: unknown): unknown[] {
  const { embedding } = (answer ?? {}) as { embedding?: unknown };
  if (Array.isArray(embedding)) return typeof embedding[0] === "string" ? embedding : [embedding];
  throw new ModelAnswerError("model answered without an embedding");
}
