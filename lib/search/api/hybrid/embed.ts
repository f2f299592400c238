import type { Deadline } from "../../../core/resilience/deadline.ts";
import { type Embedding, EmbeddingError } from "../../embeddings/embedder.ts";
import type { EmbedderName } from "../../embeddings/settings.ts";
import type { GatewayServices } from "../../gateway/services.ts";

/** Embeddings of the query text by embedding field, and the errors of the other fields. */
export interface QueryEmbeddings {
  embeddings: Map<string, Embedding>;
  failures: Map<string, EmbeddingError>;
}

/** Embeds the query text once with each embedder that the fields need, all at the same time. */
export async function embedQuery(
  { embedder }: Pick<GatewayServices, "embedder">,
  text: string,
  fields: ReadonlyMap<string, EmbedderName>,
  deadline: Deadline,
): Promise<QueryEmbeddings> {
  const outcomes = new Map<EmbedderName, Embedding | EmbeddingError>();
  await Promise.all(
    [...new Set(fields.values())].map(async (model) => {
      outcomes.set(model, await outcomeOf(async () => (await embedder(model)).embedQuery(text, deadline)));
    }),
  );
  const result: QueryEmbeddings = { embeddings: new Map(), failures: new Map() };
  for (const [field, embedder] of fields) {
    const outcome = outcomes.get(embedder);
    if (outcome instanceof EmbeddingError) result.failures.set(field, outcome);
    else if (outcome) result.embeddings.set(field, outcome);
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
