import { backoff, type Deadline, earlier, MAX_ATTEMPTS } from "../../platform/resilience/deadline.ts";
import {
  type Embedder,
  type EmbedderName,
  EmbeddingError,
  type EmbeddingOutcome,
  NoTimeLeftError,
} from "../embeddings/embedder.ts";

/** One text for one model. */
export interface ModelText {
  model: EmbedderName;
  text: string;
}

/** The embeddings of one request. Embeds each distinct text once, and keeps the result for as long as it is needed. */
export interface TextPool {
  /** Starts embedding texts that are not started yet, together for each model. */
  start(wanted: Iterable<ModelText>): void;
  /** Returns the embedding of a text, and starts it if necessary. */
  get(wanted: ModelText): Promise<EmbeddingOutcome>;
  /** Counts one use of a text as finished, and drops the embedding after the last. */
  release(wanted: ModelText): void;
}

/** No model call starts in the last five seconds, which are reserved for writing. */
const LAST_START_MS = 5_000;

/** Time (ms) left when running model calls are aborted: enough for a write. */
const WRITE_MS = 2_500;

export interface TextPoolOptions {
  embedder: (model: EmbedderName) => Promise<Embedder>;
  deadline: Deadline;
  /** How often each text is needed, as far as the request alone determines it. */
  uses: ReadonlyMap<EmbedderName, Map<string, number>>;
  /** Keeps every embedding, because stored documents may need more texts later. */
  keepAll: boolean;
  wait: (ms: number) => Promise<unknown>;
}

export function createTextPool({ embedder, deadline, uses, keepAll, wait }: TextPoolOptions): TextPool {
  const entries = new Map<EmbedderName, Map<string, Promise<EmbeddingOutcome>>>();
  const startBefore = earlier(deadline, LAST_START_MS);
  const finishBefore = earlier(deadline, WRITE_MS);
  const requestMs = finishBefore.remaining();

  const entriesOf = (model: EmbedderName) => {
    const known = entries.get(model) ?? new Map<string, Promise<EmbeddingOutcome>>();
    entries.set(model, known);
    return known;
  };

  const embed = async (model: EmbedderName, texts: readonly string[]): Promise<EmbeddingOutcome[]> => {
    try {
      const used = await embedder(model);
      const embedAll = async (some: readonly string[]) => {
        const outcomes = await used.embedDocuments(some, finishBefore, { startBefore, requestMs });
        return some.map((_, index) => outcomes[index] ?? missing());
      };
      return await embedInPasses(texts, embedAll, startBefore, wait);
    } catch (cause) {
      const error = new EmbeddingError("the model cannot be used", { cause, retryable: true });
      return texts.map(() => ({ kind: "error", error }));
    }
  };

  const startTexts = (model: EmbedderName, texts: readonly string[]) => {
    const outcomes = embed(model, texts);
    // Each text has a promise of its own, so that releasing it frees its memory.
    for (const [index, text] of texts.entries()) {
      entriesOf(model).set(
        text,
        outcomes.then((all) => all[index] ?? missing()),
      );
    }
  };

  const pool: TextPool = {
    start(wanted) {
      const fresh = new Map<EmbedderName, Set<string>>();
      for (const { model, text } of wanted) {
        if (entriesOf(model).has(text)) continue;
        const texts = fresh.get(model) ?? new Set<string>();
        fresh.set(model, texts.add(text));
      }
      for (const [model, texts] of fresh) startTexts(model, [...texts]);
    },
    async get(wanted) {
      pool.start([wanted]);
      return entriesOf(wanted.model).get(wanted.text) ?? missing();
    },
    release({ model, text }) {
      const counts = uses.get(model);
      const left = (counts?.get(text) ?? 0) - 1;
      counts?.set(text, left);
      if (left <= 0 && !keepAll) entriesOf(model).delete(text);
    },
  };
  return pool;
}

/**
 * Embeds texts, and retries those that failed for a temporary reason as long as others succeed in the same pass. A
 * model that throttles rejects some of many parallel calls again and again, while an unavailable one rejects all.
 */
async function embedInPasses(
  texts: readonly string[],
  embedAll: (texts: readonly string[]) => Promise<EmbeddingOutcome[]>,
  startBefore: Deadline,
  wait: (ms: number) => Promise<unknown>,
): Promise<EmbeddingOutcome[]> {
  const embedded = await embedAll(texts);
  let pass = embedded;
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
    const failed = [...embedded.entries()].filter(([, one]) => one.kind === "error" && isWorthAnotherPass(one.error));
    const delay = backoff(attempt);
    const hopeless = pass.every(({ kind }) => kind === "error") || delay >= startBefore.remaining();
    if (failed.length === 0 || hopeless) return embedded;
    await wait(delay);
    pass = await embedAll(failed.map(([index]) => texts[index] ?? ""));
    for (const [place, [index]] of failed.entries()) embedded[index] = pass[place] ?? missing();
  }
  return embedded;
}

/** A call that did not start for lack of time will not start in the next pass either. */
const isWorthAnotherPass = (error: EmbeddingError) => error.retryable && !(error instanceof NoTimeLeftError);

function missing(): EmbeddingOutcome {
  return { kind: "error", error: new EmbeddingError("the model gave no embedding", { retryable: true }) };
}
