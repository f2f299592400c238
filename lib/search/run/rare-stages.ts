import type { GatewayServices } from "../gateway/services.ts";
import type { AskedSynonyms } from "../stages/add-synonyms.ts";
import type { rulesStage } from "../stages/pin-documents.ts";
import type { personalStage } from "../stages/rank-for-user.ts";
import type { rerankStage } from "../stages/rerank-hits.ts";
import type { varietyStage } from "../stages/vary-hits.ts";
import { type Rewritten, unchanged } from "./rewritten.ts";
import type { Wanted } from "./stage.ts";

// The code of these stages is only loaded for searches that have them: a cold start without them stays as short as it was.

/** Returns the stage of pinned documents, if there are any. */
export async function pinsStage(...[services, asked]: Parameters<typeof rulesStage>): Promise<Wanted> {
  if (asked.effects.pins.length === 0) return {};
  const rules = await import("../stages/pin-documents.ts");
  return rules.rulesStage(services, asked);
}

/** Returns the stage that reranks, if the request or the index asks for it, or why it cannot. */
export async function rerankingStage(...[services, asked]: Parameters<typeof rerankStage>): Promise<Wanted> {
  if (!asked.own && !asked.entry.rerank) return {};
  const rerank = await import("../stages/rerank-hits.ts");
  return rerank.rerankStage(services, asked);
}

/** Returns the stage that ranks for a user, if the request asks for it, or why it cannot. */
export async function personalizingStage(
  ...[services, asked, ...page]: Parameters<typeof personalStage>
): Promise<Wanted> {
  if (!asked.business_rules.is_personalized_enabled) return {};
  const personal = await import("../stages/rank-for-user.ts");
  return personal.personalStage(services, asked, ...page);
}

/** Returns the stage that moves similar hits apart, if the request or the index asks for it, or why it cannot. */
export async function varyingStage(...[services, asked]: Parameters<typeof varietyStage>): Promise<Wanted> {
  if (!(asked.own ?? asked.entry.variety)) return {};
  const variety = await import("../stages/vary-hits.ts");
  return variety.varietyStage(services, asked);
}

/** Rewrites a query, or a list of them, with the synonyms of its index, if it has some. Never rejects. */
export async function rewrittenWithSynonyms<Query>(
  services: Pick<GatewayServices, "synonyms">,
  asked: AskedSynonyms,
  query: Query,
): Promise<Rewritten<Query>> {
  if (!asked.entry.synonyms?.files || asked.synonyms === false) return unchanged(query);
  const { withSynonyms } = await import("../stages/add-synonyms.ts");
  return withSynonyms(services, asked, query);
}
