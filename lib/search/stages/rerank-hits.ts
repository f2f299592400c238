import { lookup } from "../../platform/json/lookup.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { StageTools } from "../gateway/tools.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import type { Hit } from "../page/answer.ts";
import { ownOrderOf } from "../page/native-page.ts";
import { readAgain } from "../page/read-again.ts";
import { type Stage, StageError, type StageSelection } from "../page/stage.ts";
import { RerankError, type Reranker } from "../rerank/reranker.ts";
import type { StageContext, StageEntry } from "./kinds.ts";

/** The request's settings. Null means that a member is absent. */
export interface OwnRerank {
  is_enabled?: boolean | null | undefined;
  candidates?: number | null | undefined;
  min_score?: number | null | undefined;
}

const LOST = "hits are in the order before the reranking";

const declined = (reason: string): StageSelection => ({
  declined: { stage: "rerank", target: "search_response", reason, effect: LOST },
});

interface Search
  extends Pick<
    StageContext<{ rerank?: OwnRerank | null | undefined }>,
    "index" | "request" | "text" | "native" | "page"
  > {
  entry: Pick<StageEntry, "rerank" | "hasPipeline">;
}

/**
 * Returns the stage that reranks the best hits with a model, or why a requested stage is not available; neither if it
 * is not configured or requested. It does not apply to searches with an order of their own or without text, which is
 * only reported if the request itself asked for reranking.
 */
export function rerankStage(
  { cluster, reranker: load }: Pick<StageTools, "cluster" | "reranker">,
  { index, request: { rerank: own }, entry: { rerank, hasPipeline = false }, text: query, native, page }: Search,
): StageSelection {
  const isAsked = own != null && own.is_enabled !== false;
  if (!(own ? isAsked : rerank?.by_default) || page === undefined || page.size === 0) return {};
  const text = query?.trim() ?? "";
  const order = ownOrderOf(native);
  const reason = !rerank
    ? "hybrid_search.yaml has no rerank for the index, or not the same one for all indexes"
    : order !== undefined
      ? `the request has its own ${order}`
      : text === ""
        ? "the request has no text to search for"
        : undefined;
  if (!rerank || reason !== undefined) return isAsked ? declined(reason ?? "") : {};

  const { model, fields, batch_size: batchSize, timeout_ms: budgetMs } = rerank;
  const least = own?.min_score ?? rerank.min_score ?? Number.NEGATIVE_INFINITY;
  const run: Stage["run"] = async (hits, deadline) => {
    if (hits.length < 2) return { order: [...hits.keys()] };
    const texts = await textsOf(cluster, { index, hits, fields, native, hasPipeline }, deadline);
    if (texts.every((one) => one === "")) throw new StageError(`no hit has text in ${fields.join(" or ")}`);
    const { scores, usage } = await scored(
      () => load(model),
      (reranker) => reranker.score(text, texts, { batchSize, deadline }),
    );
    return { order: orderBy(scores, least), usage };
  };
  const window = own?.candidates ?? rerank.candidates;
  return { stage: { name: "rerank", window, budgetMs, effect: "reorders", lost: LOST, told: true, run } };
}

/** Returns the order of hits by score. Those below `least` or without a score come last, in their order. */
export function orderBy(scores: ReadonlyArray<number | undefined>, least: number): number[] {
  const scoreAt = (place: number) => scores[place] ?? Number.NEGATIVE_INFINITY;
  const isGood = (place: number) => scores[place] !== undefined && scoreAt(place) >= least;
  const places = [...scores.keys()];
  return [
    ...places.filter(isGood).sort((a, b) => scoreAt(b) - scoreAt(a) || a - b),
    ...places.filter((place) => !isGood(place)),
  ];
}

async function scored<T>(load: () => Promise<Reranker>, score: (reranker: Reranker) => Promise<T>): Promise<T> {
  try {
    return await score(await load());
  } catch (error) {
    const isTold = error instanceof RerankError;
    const failed = new StageError(isTold ? error.message : "the reranker failed");
    if (isTold) failed.usage = error.usage;
    throw failed;
  }
}

interface Read {
  index: string;
  hits: readonly Hit[];
  fields: readonly string[];
  native: Record<string, unknown>;
  /** Whether a default search pipeline may change the content of hits. */
  hasPipeline: boolean;
}

/** Members of a body by which hits may differ from the stored documents. */
const SHOWN = ["_source", "stored_fields", "search_pipeline"] as const;

/** Returns the text of each hit: from its document, or by a second search if hits may lack it. */
async function textsOf(
  cluster: Cluster,
  { index, hits, fields, native, hasPipeline }: Read,
  deadline: Deadline,
): Promise<string[]> {
  const isShown = !hasPipeline && SHOWN.every((option) => native[option] === undefined);
  const found = isShown ? hits : await readAgain(cluster, { index, hits, fields, read: { _source: fields } }, deadline);
  return found.map((hit) =>
    fields
      .flatMap((field) => lookup(hit?._source ?? {}, field).values.flat())
      .filter((value) => typeof value === "string" || typeof value === "number")
      .join("\n"),
  );
}
