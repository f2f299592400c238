import type { IndexSettings } from "../gateway/settings.ts";
import type { TargetIndex } from "../resolve/target.ts";

/**
 * Returns what an entry of hybrid_search.yaml says of the stages, as far as the entries of all searched indexes say the same, and
 * whether an index has a search pipeline, which may change the documents that stages get.
 */
export const sharedStages = (
  indexes: readonly TargetIndex[],
): Pick<IndexSettings, SharedStage> & { hasPipeline: boolean } => ({
  ...shared(indexes, "variety"),
  ...shared(indexes, "rerank"),
  ...shared(indexes, "synonyms"),
  hasPipeline: indexes.some(({ searchPipeline = "_none" }) => searchPipeline !== "_none"),
});

type SharedStage = "variety" | "rerank" | "synonyms";

function shared<Key extends SharedStage>(indexes: readonly TargetIndex[], key: Key) {
  const [first, ...others] = indexes.map(({ entry }) => entry?.[key]);
  const isShared = others.every((other) => JSON.stringify(other) === JSON.stringify(first));
  return (first && isShared ? { [key]: first } : {}) as Pick<IndexSettings, Key>;
}
