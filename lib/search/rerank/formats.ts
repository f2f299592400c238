import { isObject, parseJson } from "../../platform/json/values.ts";
import { DOCUMENTS_A_UNIT, RERANKER } from "../../settings/rerank-models.ts";
import { cutCharacters, jsonLiteral } from "../embeddings/batches.ts";
import { ModelAnswerError } from "../embeddings/failure.ts";

/**
 * Characters of a document and of a query that a reranker reads. Models read about 500 tokens of both together, and Bedrock
 * bills a longer document as several.
 */
const DOCUMENT_CHARACTERS = 2_000;
const QUERY_CHARACTERS = 1_000;

/** Request and answer format of one reranker. */
export interface RerankFormat {
  /** Returns the request body for non-empty texts. */
  body(query: string, texts: readonly string[]): string;
  /** Returns one score per text, in order. Throws ModelAnswerError if the answer does not have exactly these. */
  parse(answer: Uint8Array, count: number): number[];
  /** Returns the billed units of a call with this many texts; 0 if billed by the hour. */
  units(texts: number): number;
}

/** Returns the beginning of a text that a reranker reads. */
export const readPart = (text: string): string => cutCharacters(text, DOCUMENT_CHARACTERS);

/** Returns the format of an endpoint's reranker or of one on Bedrock. */
export const formatOf = (model: string): RerankFormat => (model === RERANKER ? ENDPOINT : bedrock(model));

/** `rerank` of Text Embeddings Inference. `truncate` is off by default before version 1.9. */
const ENDPOINT: RerankFormat = {
  body: (query, texts) => `{${question(query)},"texts":${listed(texts)},"truncate":true}`,
  parse: (answer, count) => scoresIn(parseJson(Buffer.from(answer)), count, "score"),
  units: () => 0,
};

/** InvokeModel for the rerankers of Cohere and Amazon. Source: Amazon Bedrock User Guide, "Rerank"; Cohere's need `api_version`. */
const bedrock = (model: string): RerankFormat => ({
  body: (query, texts) => {
    const version = model.includes("cohere.") ? ',"api_version":2' : "";
    return `{${question(query)},"documents":${listed(texts)},"top_n":${texts.length}${version}}`;
  },
  parse: (answer, count) => {
    const parsed = parseJson(Buffer.from(answer));
    return scoresIn(isObject(parsed) ? parsed.results : undefined, count, "relevance_score");
  },
  units: (texts) => Math.ceil(texts / DOCUMENTS_A_UNIT),
});

const question = (query: string) => `"query":${jsonLiteral(cutCharacters(query, QUERY_CHARACTERS))}`;
const listed = (texts: readonly string[]) => `[${texts.map(jsonLiteral).join(",")}]`;

function scoresIn(results: unknown, count: number, key: string): number[] {
  if (!Array.isArray(results)) throw new ModelAnswerError("model answered without scores");
  if (results.length !== count) {
    throw new ModelAnswerError(`model answered with ${results.length} scores for ${count} texts`);
  }
  const scores = new Map<unknown, number>();
  for (const result of results) {
    const { index, [key]: score }: Record<string, unknown> = isObject(result) ? result : {};
    if (typeof score !== "number" || !Number.isFinite(score)) {
      throw new ModelAnswerError("model answered with something other than a score");
    }
    scores.set(index, score);
  }
  return Array.from({ length: count }, (_, index) => {
    const score = scores.get(index);
    if (score === undefined) throw new ModelAnswerError("model answered with scores of other texts");
    return score;
  });
}
