import { isObject, parseJson } from "@relevance/lib/platform/json/values.ts";
import { wordsOf } from "@relevance/lib/platform/words.ts";
import type { StandInRequest } from "@relevance/local-aws/cloud/stand-in.ts";
import { awsError, type ModelAnswer, serviceFault } from "./answers.ts";
import { EXCEPTIONS } from "./bedrock-runtime.ts";
import type { Fault } from "./control.ts";
import {
  type InferenceAnswer,
  type InferenceServer,
  MAX_INPUTS,
  MAX_PAYLOAD_BYTES,
  MAX_TOKENS,
  refusal,
  VALIDATION,
} from "./inference-server.ts";
import type { TokenCount } from "./lexical-model.ts";

/** Most documents of one call. Source: Amazon Bedrock, API reference of Rerank. */
const MAX_DOCUMENTS = 1_000;

/**
 * Stand-in for rerankers: returns the share of the query's words that a text contains. It knows no meaning, so "car"
 * and "automobile" are unrelated.
 */
export function overlap(query: string, text: string): number {
  const wanted = new Set(wordsOf(query));
  if (wanted.size === 0) return 0;
  const had = new Set(wordsOf(text));
  return [...wanted].filter((word) => had.has(word)).length / wanted.size;
}

/** Returns the scores of texts, best first. */
const ranked = (query: string, texts: readonly string[]) =>
  texts
    .map((text, index) => ({ index, score: overlap(query, text) }))
    .sort((a, b) => b.score - a.score || a.index - b.index);

/** Creates a server that handles `POST /invocations` like `rerank` of Text Embeddings Inference 1.8, with its limits and errors. */
export function rerankServer(model: TokenCount): InferenceServer {
  return {
    async invoke(body): Promise<InferenceAnswer> {
      if (body.length > MAX_PAYLOAD_BYTES) return { status: 413, body: "length limit exceeded" };
      const request = parseJson(body);
      const { query, texts, truncate }: Record<string, unknown> = isObject(request) ? request : {};
      // The server's parser rejects the whole body if it contains an escaped lone surrogate.
      if (!isText(query) || !Array.isArray(texts) || !texts.every(isText)) {
        return { status: 422, body: "Failed to deserialize the JSON body into the target type" };
      }
      if (texts.length === 0) return refusal(400, "`texts` cannot be empty", "empty");
      if (texts.length > MAX_INPUTS) {
        const message = `batch size ${texts.length} > maximum allowed batch size ${MAX_INPUTS}`;
        return refusal(VALIDATION, message, "validation");
      }
      const long = truncate === true ? undefined : texts.find((text) => model.count(query + text) > MAX_TOKENS);
      if (long !== undefined)
        return refusal(VALIDATION, `\`inputs\` must have less than ${MAX_TOKENS} tokens`, "validation");
      return { status: 200, body: JSON.stringify(ranked(query, texts)) };
    },
  };
}

const isText = (value: unknown): value is string => typeof value === "string" && value.isWellFormed();

/** Returns the texts of a request to a reranker. Empty if the request is invalid. */
export function rerankedTexts(body: Buffer): string[] {
  const request = parseJson(body);
  const { texts, documents }: Record<string, unknown> = isObject(request) ? request : {};
  return [texts, documents].flat().filter((text) => typeof text === "string");
}

const invalid = (message: string) =>
  awsError(400, "ValidationException", { message: `Malformed input request: ${message}` });

/** Whether the id is that of a Bedrock reranker. Here they all score by shared words. */
export const isHostedReranker = (id: string): boolean => /(^|\.)(cohere|amazon)\.rerank-/.test(id);

/** Handles InvokeModel for the rerankers of Cohere and Amazon. */
export function invokeRerank(id: string, { body }: StandInRequest, fault: Fault | undefined): ModelAnswer {
  const refused = serviceFault(fault, "ServiceUnavailableException");
  if (refused) return refused;
  if (fault?.kind === "status") {
    const message = `told to fail with ${fault.status}`;
    return awsError(fault.status, EXCEPTIONS[fault.status] ?? "InternalServerException", { message });
  }
  const request = parseJson(body);
  if (!isObject(request)) return invalid("expected a JSON object");
  const { query, documents, top_n: most, api_version: version, ...others } = request;
  const [extraneous] = Object.keys(others);
  if (extraneous !== undefined) return invalid(`extraneous key [${extraneous}] is not permitted`);
  if (!isText(query) || query.trim() === "") return invalid("#: required key [query] not found");
  if (!Array.isArray(documents) || documents.length === 0) return invalid("#: required key [documents] not found");
  if (documents.length > MAX_DOCUMENTS) return invalid(`expected maximum item count: ${MAX_DOCUMENTS}`);
  if (!documents.every((one) => isText(one) && one.trim() !== "")) return invalid("#/documents: expected texts");
  if (most !== undefined && !(Number.isInteger(most) && (most as number) >= 1)) return invalid("#/top_n: not positive");
  const isCohere = id.includes("cohere.");
  if (isCohere && !(typeof version === "number" && version >= 2)) return invalid("#/api_version: expected at least 2");
  if (!isCohere && version !== undefined) return invalid("extraneous key [api_version] is not permitted");
  if (fault?.kind === "not_json")
    return { ok: false, status: 200, body: '{"results": [{"index": 0, "relevance_score": NaN}]}' };
  const best = ranked(query, documents).slice(0, (most as number | undefined) ?? documents.length);
  const results = spoiledScores(best, fault).map(({ index, score }) => ({ index, relevance_score: score }));
  return {
    ok: fault === undefined,
    status: 200,
    body: JSON.stringify({ results, ...(isCohere && { id: "stand-in" }) }),
  };
}

/** Corrupts scores according to the fault. Returns them unchanged without one. */
export function spoiledScores<T extends { index: number; score: number | null }>(
  scores: readonly T[],
  fault: Fault | undefined,
): Array<T | { index: number; score: null }> {
  switch (fault?.kind) {
    case "nan":
      return scores.map((one, at) => (at === 0 ? { index: one.index, score: null } : one));
    case "unknown_index":
      return scores.map((one, at) => (at === 0 ? { ...one, index: scores.length } : one));
    case "too_few":
      return scores.slice(1);
    default:
      return [...scores];
  }
}
