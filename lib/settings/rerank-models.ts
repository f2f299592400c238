import { bedrockIds } from "./names.ts";

/** Names the section of model.yaml that describes a reranker on a SageMaker endpoint. */
export const RERANKER = "reranker";

/** Values of `rerank.model` of an index: that section, or a reranker on Bedrock by its id or that of its inference profile. */
export const RERANK_MODEL = bedrockIds(/(cohere|amazon)\.rerank-[\w.-]{1,80}(:\d{1,3})?$/, `${RERANKER}$`);

/** The documents that Bedrock bills as one unit of a reranker. Source: Amazon Bedrock pricing, "Rerank". */
export const DOCUMENTS_A_UNIT = 100;

/** Texts of one call unless `rerank.batch_size` says otherwise: TEI's MAX_CLIENT_BATCH_SIZE, and one unit of Bedrock. */
export const batchSizeOf = (model: string): number => (model === RERANKER ? 32 : DOCUMENTS_A_UNIT);

/** Returns the rerankers that entries use: ids of Bedrock, and `reranker` for the section of model.yaml. */
export const rerankersOf = (entries: ReadonlyArray<{ rerank?: { model: string } | undefined }>): string[] =>
  [...new Set(entries.flatMap(({ rerank }) => rerank?.model ?? []))].sort();
