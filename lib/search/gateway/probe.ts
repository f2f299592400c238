import { type Probe, probed } from "../../platform/http/probe.ts";
import { deadlineIn } from "../../platform/resilience/deadline.ts";
import { rerankersOf } from "../../settings/rerank-models.ts";
import { embedderName } from "../embeddings/embedder.ts";
import { probeCluster } from "../opensearch/cluster-probe.ts";
import { RULES } from "../rules/name.ts";
import { SYNONYMS } from "../synonyms/name.ts";
import type { GatewayServices } from "./services.ts";

/** Shorter than the function's 28 s. */
const PROBE_MS = 20_000;

/**
 * Calls the cluster, embeds one text with each model, scores one with each reranker, ranks one item with the campaign and reads
 * the synonyms and rules, if there are any.
 */
export async function probeGateway({
  settings,
  embedder,
  reranker,
  ranker,
  synonyms,
  rules,
  cluster,
}: GatewayServices): Promise<Probe[]> {
  const models = settings.models.map((model) => {
    const name = embedderName(model);
    return probed({ kind: "model", name }, async () => {
      const deadline = deadlineIn(PROBE_MS);
      const used = await embedder(name);
      const [outcome] = await used.embedDocuments(["relevance"], deadline);
      if (outcome?.kind === "error") throw outcome.error;
      if ("document_endpoint_name" in model) await used.embedQuery("relevance", deadline);
    });
  });
  const rerankers = rerankersOf(settings.indexes).map((name) =>
    probed({ kind: "model", name }, async () =>
      (await reranker(name)).score("relevance", ["relevance"], { deadline: deadlineIn(PROBE_MS) }),
    ),
  );
  const campaign = settings.personalized_ranking?.campaign_arn;
  const ranking =
    campaign === undefined
      ? []
      : [probed({ kind: "campaign", name: campaign }, async () => (await ranker())?.("relevance", ["1"], PROBE_MS))];
  const documents = settings.indexes.some((entry) => entry.synonyms)
    ? [probed({ kind: "document", name: SYNONYMS }, () => synonyms(PROBE_MS))]
    : [];
  const ruled = rules ? [probed({ kind: "document", name: RULES }, () => rules("current", deadlineIn(PROBE_MS)))] : [];
  return Promise.all([probeCluster(cluster), ...models, ...rerankers, ...ranking, ...documents, ...ruled]);
}
