import type { Configuration } from "../../lib/settings/configuration.ts";
import { MODELS } from "../../lib/settings/embedding-models.ts";

/** Returns notes on what passages cost: a document has as many embeddings as it has passages. */
export function passageNotes({ searchGateway }: Pick<Configuration, "searchGateway">): string[] {
  return (searchGateway?.hybridQueries ?? []).flatMap(({ index, embedding_mappings }) =>
    embedding_mappings.flatMap(({ embedding_field: field, model_name: model, chunking }) => {
      if (!chunking) return [];
      const { max_passages: most, tokens } = chunking;
      const billed = MODELS[model].host === "bedrock" ? "Bedrock bills each by the token" : "its instances make each";
      return [
        `${index}: ${field} costs a document of n passages of ${tokens} tokens n embeddings of ${model}, at most ${most}; ${billed}`,
      ];
    }),
  );
}
