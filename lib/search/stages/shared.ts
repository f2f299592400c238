import type { StageMember } from "../../settings/page-stages.ts";
import type { IndexSettings } from "../gateway/settings.ts";
import type { TargetIndex } from "../resolve/target.ts";
import { ENTRY_MEMBERS } from "./table.ts";

/**
 * Returns the stage settings on which the entries of all searched indexes agree, and whether an index has a search
 * pipeline, which may change the documents that stages read.
 */
export function sharedStages(
  indexes: readonly TargetIndex[],
): Pick<IndexSettings, StageMember> & { hasPipeline: boolean } {
  const shared = ENTRY_MEMBERS.flatMap((member) => {
    const [first, ...others] = indexes.map(({ entry }) => entry?.[member]);
    const isShared = others.every((other) => JSON.stringify(other) === JSON.stringify(first));
    return first && isShared ? [[member, first] as const] : [];
  });
  return {
    ...(Object.fromEntries(shared) as Pick<IndexSettings, StageMember>),
    hasPipeline: indexes.some(({ searchPipeline = "_none" }) => searchPipeline !== "_none"),
  };
}
