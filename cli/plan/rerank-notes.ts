import type { Configuration } from "../../lib/settings/configuration.ts";
import { batchSizeOf, RERANKER } from "../../lib/settings/rerank-models.ts";

/** Returns notes on what searches pay for rerankers on Bedrock. Those on endpoints are among what runs all the time. */
export function rerankNotes({ searchGateway }: Pick<Configuration, "searchGateway">): string[] {
  return (searchGateway?.hybridQueries ?? []).flatMap(({ index, rerank }) => {
    if (!rerank || rerank.model === RERANKER) return [];
    const { model, candidates, batch_size = batchSizeOf(model), by_default } = rerank;
    const units = Math.ceil(candidates / batch_size);
    const searches = by_default ? "each search" : "each search that asks for it";
    const billed = `${units} unit${units === 1 ? "" : "s"} or fewer`;
    return [`${index}: ${model} reads the best ${candidates} hits of ${searches}; Bedrock bills ${billed}, by use`];
  });
}
