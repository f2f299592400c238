import type { Embedding, EmbeddingOutcome } from "../../../../lib/search/embeddings/embedder.ts";
import type { ModelClient } from "../../../../lib/search/embeddings/model-client.ts";
import { type ModelFiles, parseModelFiles } from "../../../../lib/search/embeddings/model-files.ts";
import { createPace, type Pace } from "../../../../lib/search/embeddings/pace.ts";
import { createSparseModel, type SparseModel } from "../../../../lib/search/embeddings/sparse-model.ts";

/** One call that a fake model received. */
export interface FakeCall {
  target: string;
  body: { inputs: string[]; truncate: boolean; texts: string[]; input_type: string };
  bytes: number;
  timeoutMs: number;
}

export interface FakeClient extends ModelClient {
  calls: FakeCall[];
  /** The largest number of concurrent calls. */
  peak: number;
}

/** A model that answers with the result of `answer`: a value is sent as JSON, an exception fails the call. */
export function fakeClient(answer: (call: FakeCall, index: number) => unknown): FakeClient {
  const calls: FakeCall[] = [];
  let running = 0;
  const client: FakeClient = {
    calls,
    peak: 0,
    load: async () => {},
    async invoke(target, body, timeoutMs) {
      const call: FakeCall = { target, body: JSON.parse(body), bytes: Buffer.byteLength(body), timeoutMs };
      running += 1;
      client.peak = Math.max(client.peak, running);
      try {
        const value = await answer(call, calls.push(call) - 1);
        return Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
      } finally {
        running -= 1;
      }
    },
  };
  return client;
}

/** An error as the AWS SDK throws it. */
export function awsError(name: string, status: number, fields: Record<string, unknown> = {}): Error {
  return Object.assign(new Error("arn:aws:sagemaker:us-east-1:111122223333:endpoint/secret-endpoint said no"), {
    name,
    $metadata: { httpStatusCode: status },
    ...fields,
  });
}

/** SageMaker's wrapping of the container's own status. */
export const modelError = (status: number) => awsError("ModelError", 424, { OriginalStatusCode: status });

/** A unit vector whose first component tells texts apart by their length. */
export function vectorOf(text: string, dimension: number): number[] {
  const angle = (text.length % 90) * (Math.PI / 180);
  return [Math.cos(angle), Math.sin(angle), ...new Array<number>(dimension - 2).fill(0)];
}

/** Summarizes outcomes: the kind of each, or the message of its error. */
export const brief = (outcomes: readonly EmbeddingOutcome[]) =>
  outcomes.map((outcome) => (outcome.kind === "error" ? outcome.error.message : outcome.kind));

/** The tokens of a sparse embedding. */
export function tokensOf(embedding: Embedding | EmbeddingOutcome | undefined) {
  if (embedding?.kind !== "sparse") throw new Error(`not sparse: ${JSON.stringify(embedding)}`);
  return "json" in embedding ? (JSON.parse(embedding.json) as Record<string, number>) : embedding.tokens;
}

const SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/** Model files with BERT's tokenizer over a few words; special tokens have ids 0 to 4, the words follow. */
export function smallModelFiles(weights: Readonly<Record<string, unknown>>, words = Object.keys(weights)): ModelFiles {
  const vocab = Object.fromEntries([...SPECIAL, ...words].map((token, id) => [token, id]));
  const added_tokens = SPECIAL.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  const tokenizer = {
    version: "1.0",
    added_tokens,
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: null,
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab,
    },
  };
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  return {
    "tokenizer.json": json(tokenizer),
    "tokenizer_config.json": json({ tokenizer_class: "DistilBertTokenizer" }),
    "idf.json": json(weights),
  };
}

/** A sparse model over a few words. */
export function smallModel(weights: Readonly<Record<string, number>>, words?: string[]): Promise<SparseModel> {
  return createSparseModel(parseModelFiles(smallModelFiles(weights, words)));
}

/** The pace of a model that is known to be fast, so that its first call may have as many texts as later ones. */
export function knownPace(): Pace {
  const pace = createPace(() => 0);
  pace.start(1)("embedded");
  return pace;
}
