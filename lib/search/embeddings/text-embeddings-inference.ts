import type { ModelName } from "../../settings/embedding-models.ts";
import { literalWithin } from "./batches.ts";
import { parseJson, readVectors, requireCount } from "./dense-vector.ts";
import { ModelAnswerError } from "./failure.ts";
import type { HostedModel } from "./model-calls.ts";
import type { InputType, ModelClient } from "./model-client.ts";
import { parseSparse, type SparseRules } from "./sparse-vector.ts";

/** Inputs per call: MAX_CLIENT_BATCH_SIZE of Text Embeddings Inference. */
const MAX_TEXTS = 32;

/** Bytes of a request body: its PAYLOAD_LIMIT. */
const MAX_BODY_BYTES = 2_000_000;

/** Bytes of an answer through SageMaker's InvokeEndpoint. */
const MAX_ANSWER_BYTES = 6_291_456;

/** A float32 in decimal with its comma, at most: "-1.1754944e-38,". */
const BYTES_A_FLOAT = 16;

/**
 * Bytes of one sparse answer that batches are sized for: 4,000 entries of about 45 bytes, ten times what the model
 * gives for a text of 512 tokens.
 */
const BYTES_A_SPARSE_ANSWER = 180_000;

/**
 * The text that the BGE English models expect before a query and never before a document.
 * Source: model card of BAAI/bge-large-en-v1.5.
 */
export const BGE_QUERY_PREFIX = "Represent this sentence for searching relevant passages: ";

/**
 * `truncate` is always sent, because its default changed in TEI 1.9 from false (a text over 512 tokens is an error) to
 * true. Texts over the byte limit are cut here, far behind the 512 tokens that the model reads.
 */
const frame = (literals: readonly string[]) => `{"inputs":[${literals.join(",")}],"truncate":true}`;

const FRAME_BYTES = frame([]).length;

/** Bytes available for the literals of a batch, with one comma each. */
const LITERAL_BYTES = MAX_BODY_BYTES - FRAME_BYTES;

interface Endpoint {
  model: ModelName;
  client: ModelClient;
  endpointName: string;
}

/** A dense model on a SageMaker endpoint: `embed`, unit vectors. */
export function denseEndpoint({
  model,
  client,
  endpointName,
  dimension,
  prefixes,
}: Endpoint & { dimension: number; prefixes: Readonly<Record<InputType, string>> }): HostedModel {
  return {
    model,
    limits: { texts: Math.min(MAX_TEXTS, answersThatFit(dimension * BYTES_A_FLOAT)), bytes: LITERAL_BYTES },
    json: (text, input) => literalWithin(prefixes[input] + text, LITERAL_BYTES - 1),
    body: frame,
    invoke: (body, timeoutMs) => client.invoke(endpointName, body, timeoutMs),
    parse: (answer, count) => readVectors(answer, count, dimension, listOf),
  };
}

/** The sparse document model on a SageMaker endpoint: `embed_sparse`. Its queries never come here. */
export function sparseEndpoint({ model, client, endpointName, rules }: Endpoint & { rules: SparseRules }): HostedModel {
  return {
    model,
    limits: { texts: Math.min(MAX_TEXTS, answersThatFit(BYTES_A_SPARSE_ANSWER)), bytes: LITERAL_BYTES },
    json: (text) => literalWithin(text, LITERAL_BYTES - 1),
    body: frame,
    invoke: (body, timeoutMs) => client.invoke(endpointName, body, timeoutMs),
    parse: (answer, count) =>
      requireCount(listOf(parseJson(answer)), count).map((entries) => parseSparse(entries, rules)),
  };
}

const answersThatFit = (bytes: number) => Math.max(1, Math.floor(MAX_ANSWER_BYTES / bytes));

function listOf(answer: unknown): unknown[] {
  if (Array.isArray(answer)) return answer;
  throw new ModelAnswerError("model answered with something other than a list of vectors");
}
