import { isObject, parseJson } from "@relevance/lib/platform/json/values.ts";
import type { DenseModel, SparseModel, TokenCount } from "./lexical-model.ts";

/** A response of a model's container, before SageMaker wraps it. */
export interface InferenceAnswer {
  status: number;
  body: string;
}

/** A Text Embeddings Inference server with one model: the stand-in or a real remote server. */
export interface InferenceServer {
  invoke(body: Buffer): Promise<InferenceAnswer>;
}

/** Texts of one call. */
export const MAX_INPUTS = 32;
/** Bytes of a request. */
export const MAX_PAYLOAD_BYTES = 2_000_000;
/** Tokens of a text. */
export const MAX_TOKENS = 512;

/** Status of validation errors. The server returns 413 up to version 1.8 (the pinned image) and 422 from 1.9. */
export const VALIDATION = 413;

/** Status of a model that failed. */
const BACKEND_FAILED = 424;

const ok = (value: unknown): InferenceAnswer => ({ status: 200, body: JSON.stringify(value) });

/** Returns an error of the server. */
export const refusal = (status: number, error: string, type: string): InferenceAnswer => ({
  status,
  body: JSON.stringify({ error, error_type: type }),
});

/** Creates a server that handles `POST /invocations` like `embed`, with the limits and errors of version 1.8. */
export function denseServer(model: DenseModel, dimension: number, seed: number): InferenceServer {
  return localServer(model, (text) => model.dense(text, dimension, seed));
}

/** Creates a server that handles `POST /invocations` like `embed_sparse`. */
export function sparseServer(model: SparseModel): InferenceServer {
  return localServer(model, (text) => model.sparse(text));
}

function localServer(model: TokenCount, embed: (text: string) => unknown): InferenceServer {
  return {
    async invoke(body) {
      if (body.length > MAX_PAYLOAD_BYTES) return { status: 413, body: "length limit exceeded" };
      const request = parse(body);
      if (!request) return { status: 422, body: "Failed to parse the request body as JSON" };
      const { inputs, truncate } = request;
      if (inputs.length === 0) return refusal(400, "`inputs` cannot be empty", "empty");
      if (inputs.length > MAX_INPUTS) {
        return refusal(
          VALIDATION,
          `batch size ${inputs.length} > maximum allowed batch size ${MAX_INPUTS}`,
          "validation",
        );
      }
      if (inputs.includes("")) return refusal(VALIDATION, "`inputs` cannot be empty", "validation");
      const long = truncate ? undefined : inputs.find((text) => model.count(text) > MAX_TOKENS);
      if (long !== undefined) {
        const message = `\`inputs\` must have less than ${MAX_TOKENS} tokens. Given: ${model.count(long)}`;
        return refusal(VALIDATION, message, "validation");
      }
      try {
        return ok(await Promise.all(inputs.map(embed)));
      } catch (error) {
        return refusal(BACKEND_FAILED, String(error), "backend");
      }
    },
  };
}

/** Returns the inputs of a request to an inference server. Empty if the request is invalid. */
export function inputsOf(body: Buffer): string[] {
  return parse(body)?.inputs ?? [];
}

function parse(body: Buffer): { inputs: string[]; truncate: boolean } | undefined {
  const request = parseObject(body);
  if (!request) return undefined;
  const { inputs, truncate } = request;
  const list: unknown[] = Array.isArray(inputs) ? inputs : [inputs];
  // The server's parser rejects the whole body if it contains an escaped lone surrogate.
  if (!list.every((text) => typeof text === "string" && text.isWellFormed())) return undefined;
  return { inputs: list as string[], truncate: truncate === true };
}

/** Parses a request body as a JSON object. Returns undefined if it is not one. */
export function parseObject(body: Buffer): Record<string, unknown> | undefined {
  const value = parseJson(body);
  return isObject(value) ? value : undefined;
}
