import { type Protocol, REQUEST_TOKENS } from "../../settings/model-protocol.ts";

const { texts, text: inputText, inputType: input_type } = REQUEST_TOKENS;

/**
 * Returns the request format of a Cohere or Amazon model on Bedrock.
 *
 * Cohere Embed v3 refuses texts over 2,048 characters whatever `truncate` says, so they are cut here (counted in
 * UTF-16 units, the stricter reading); `truncate` covers the model's 512 tokens. Cohere Embed v4 takes 128,000 tokens;
 * cutting at 8,192 characters limits the cost of a long document. It lets the caller choose the dimension, has other
 * values of `truncate`, and groups the answer by type.
 *
 * Titan takes one text per call and refuses more than 8,192 tokens instead of truncating; a token is seldom shorter
 * than a character. Only its version 2 lets the caller choose the dimension. Source: Amazon Bedrock User Guide, "Cohere
 * Embed" and "Amazon Titan Text Embeddings models".
 */
export function bedrockProtocol(modelId: string, dimension: number): Protocol {
  if (modelId.includes("titan")) {
    const chosen = modelId.includes("-v2") && { dimensions: dimension, normalize: true };
    return { request: { inputText, ...chosen }, answer: "embedding", batch_size: 1, max_characters: 8_192 };
  }
  const cohere = { batch_size: 96, input_types: { document: "search_document", query: "search_query" } };
  return modelId.includes("embed-v4")
    ? {
        ...cohere,
        request: { texts, input_type, truncate: "RIGHT", output_dimension: dimension, embedding_types: ["float"] },
        answer: "embeddings.float",
        max_characters: 8_192,
      }
    : { ...cohere, request: { texts, input_type, truncate: "END" }, answer: "embeddings", max_characters: 2_048 };
}
