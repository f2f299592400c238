import type { rerankStage } from "./rerank.ts";
import type { rulesStage } from "./rules.ts";
import type { Wanted } from "./stage.ts";

// The code of these stages is only loaded for searches that have them: a cold start without them stays as short as it was.

/** Returns the stage of pinned documents, if there are any. */
export async function pinsStage(...[services, asked]: Parameters<typeof rulesStage>): Promise<Wanted> {
  if (asked.effects.pins.length === 0) return {};
  const rules = await import("./rules.ts");
  return rules.rulesStage(services, asked);
}

/** Returns the stage that reranks, if the request or the index asks for it, or why it cannot. */
export async function rerankingStage(...[services, asked]: Parameters<typeof rerankStage>): Promise<Wanted> {
  if (!asked.own && !asked.entry.rerank) return {};
  const rerank = await import("./rerank.ts");
  return rerank.rerankStage(services, asked);
}
