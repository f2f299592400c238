import type { ModelName } from "../../../config/embedding-models.ts";
import type { Deadline } from "../../../core/resilience/deadline.ts";
import { type Embedding, EmbeddingError } from "../../embeddings/embedder.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import type { EmbeddingMapping } from "../../gateway/settings.ts";

/** Embeddings of the query text by embedding field, and the errors of the other fields. */
export interface QueryEmbeddings {
  embeddings: Map<string, Embedding>;
  failures: Map<string, EmbeddingError>;
}

/** Embeds the query text once with each model that the fields need, all at the same time. */
export async function embedQuery(
  { embedder }: Pick<GatewayServices, "embedder">,
  text: string,
  mappings: readonly EmbeddingMapping[],
  deadline: Deadline,
): Promise<QueryEmbeddings> {
  const models = [...new Set(mappings.map(({ model_name }) => model_name))];
  const outcomes = new Map<ModelName, Embedding | EmbeddingError>();
  await Promise.all(
    models.map(async (model) => {
      outcomes.set(model, await outcomeOf(async () => (await embedder(model)).embedQuery(text, deadline)));
    }),
  );
  const result: QueryEmbeddings = { embeddings: new Map(), failures: new Map() };
  for (const { embedding_field, model_name } of mappings) {
    const outcome = outcomes.get(model_name);
    if (outcome instanceof EmbeddingError) result.failures.set(embedding_field, outcome);
    else if (outcome) result.embeddings.set(embedding_field, outcome);
  }
  return result;
}

async function outcomeOf(embed: () => Promise<Embedding>): Promise<Embedding | EmbeddingError> {
  try {
    return await embed();
  } catch (error) {
    if (error instanceof EmbeddingError) return error;
    return new EmbeddingError("the embedding failed", { retryable: false, cause: error });
  }
}
