import type { StandInRequest } from "@relevance/local-aws/cloud/stand-in.ts";
import { awsError, type ModelAnswer, serviceFault, spoiled } from "./answers.ts";
import type { Fault } from "./control.ts";
import { type InferenceServer, parseObject } from "./inference-server.ts";

const MAX_TEXTS = 96;
const MAX_CHARACTERS = 2_048;
const INPUT_TYPES = ["search_document", "search_query", "classification", "clustering", "image"];

/** Texts per call of the embedding server. */
const TEXTS_A_CALL = 32;

/** Bedrock's exceptions by their status. */
export const EXCEPTIONS: Readonly<Record<number, string>> = {
  400: "ValidationException",
  403: "AccessDeniedException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};

/** Returns the model ID of an InvokeModel request, or undefined for any other request. */
export function bedrockModelOf({ method, path }: StandInRequest): string | undefined {
  const [, id] = /^\/model\/([^/]+)\/invoke$/.exec(path) ?? [];
  return method === "POST" && id !== undefined ? decodeURIComponent(id) : undefined;
}

const invalid = (message: string) => awsError(400, "ValidationException", { message });

/** Returns Bedrock's error for an unknown model. */
export function unknownModel(): ModelAnswer {
  return invalid("The provided model identifier is invalid.");
}

/** Parses a request to Cohere Embed or Titan. `texts` is empty if the body is invalid. */
export function bedrockRequest(body: Buffer): { texts: string[]; inputType?: string; byType: boolean } {
  const { texts, input_type, embedding_types, inputText } = parseObject(body) ?? {};
  return {
    texts: [texts, inputText].flat().filter((text) => typeof text === "string"),
    ...(typeof input_type === "string" && { inputType: input_type }),
    byType: Array.isArray(embedding_types),
  };
}

/** Handles InvokeModel for Cohere Embed, with both response formats, and for Titan. `server` computes the vectors. */
export async function invokeBedrock(
  modelId: string,
  { body }: StandInRequest,
  server: InferenceServer,
  fault: Fault | undefined,
): Promise<ModelAnswer> {
  const refused = serviceFault(fault, "ServiceUnavailableException");
  if (refused) return refused;
  if (fault?.kind === "status") {
    const message = `told to fail with ${fault.status}`;
    return awsError(fault.status, EXCEPTIONS[fault.status] ?? "InternalServerException", { message });
  }
  const { texts, inputType, byType } = bedrockRequest(body);
  if (modelId.includes("titan")) return invokeTitan(texts, server, fault);
  if (texts.length === 0) return invalid("Malformed input request: #: required key [texts] not found");
  if (!inputType || !INPUT_TYPES.includes(inputType))
    return invalid("Malformed input request: input_type is not valid");
  if (texts.length > MAX_TEXTS) return invalid(`Malformed input request: expected maximum item count: ${MAX_TEXTS}`);
  const long = texts.findIndex((text) => text.length > MAX_CHARACTERS);
  if (long >= 0) return invalid(`Malformed input request: #/texts/${long}: expected maxLength: ${MAX_CHARACTERS}`);

  const vectors = await embed(texts, server);
  if (!Array.isArray(vectors)) return vectors;
  if (fault?.kind === "not_json") return { ok: false, status: 200, body: '{"embeddings": [[0.1, NaN]]}' };
  const floats = spoiled(vectors, fault);
  const embeddings = byType ? { float: floats } : floats;
  const type = byType ? "embeddings_by_type" : "embeddings_floats";
  return {
    ok: fault === undefined,
    status: 200,
    body: JSON.stringify({ id: "stand-in", embeddings, texts, response_type: type }),
  };
}

async function invokeTitan(
  texts: readonly string[],
  server: InferenceServer,
  fault: Fault | undefined,
): Promise<ModelAnswer> {
  if (texts.length !== 1) return invalid("Malformed input request: #: required key [inputText] not found");
  const vectors = await embed(texts, server);
  if (!Array.isArray(vectors)) return vectors;
  const [embedding] = spoiled(vectors, fault);
  return { ok: fault === undefined, status: 200, body: JSON.stringify({ embedding, inputTextTokenCount: 1 }) };
}

/** Returns the vectors of texts, or Bedrock's error if the server fails. */
async function embed(texts: readonly string[], server: InferenceServer): Promise<unknown[] | ModelAnswer> {
  const vectors: unknown[] = [];
  for (let start = 0; start < texts.length; start += TEXTS_A_CALL) {
    const inputs = texts.slice(start, start + TEXTS_A_CALL);
    const answer = await server.invoke(Buffer.from(JSON.stringify({ inputs, truncate: true })));
    if (answer.status !== 200) return awsError(424, "ModelErrorException", { message: answer.body });
    vectors.push(...JSON.parse(answer.body));
  }
  return vectors;
}
