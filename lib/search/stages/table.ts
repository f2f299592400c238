import type { StageMember } from "../../settings/page-stages.ts";
import type { GatewayServices } from "../gateway/services.ts";
import type { IndexSettings } from "../gateway/settings.ts";
import type { StageSelection } from "../page/stage.ts";
import type { Bound, Fields, StageContext } from "./kinds.ts";
import { personalization } from "./personalization.ts";
import { rerank } from "./rerank.ts";
import { rules } from "./rules.ts";
import { synonyms } from "./synonyms.ts";
import { variety } from "./variety.ts";

/**
 * Stages that requests and entries can configure; `PAGE_STAGES` has their order. Interleaving is only configured by
 * experiments.
 */
const PAGE = [rerank, personalization, variety, rules] as const;

/** All members of requests and entries for stages. */
const DECLARED = [...PAGE, synonyms] as const;

/** The members of a request that stages read. */
export const stageMembers = {
  ...personalization.request,
  ...rerank.request,
  ...variety.request,
  ...rules.request,
  ...synonyms.request,
};

/** The members of an entry of hybrid_search.yaml that stages read. */
export const ENTRY_MEMBERS = DECLARED.flatMap((kind) => ("entry" in kind && kind.entry ? [kind.entry] : []));

/** The members of stages that a key with `templates` may send. */
export const STAGE_PAGE_MEMBERS: Readonly<Record<string, Bound>> = Object.assign(
  {},
  ...DECLARED.map((kind) => ("pageMembers" in kind ? kind.pageMembers : {})),
);

/**
 * Returns whether a search needs the stage settings of its entry: the request or any entry uses a stage that entries
 * configure.
 */
export const asksForEntry = (request: StageFields, entries: ReadonlyArray<Pick<IndexSettings, StageMember>>): boolean =>
  PAGE.some(
    (kind) =>
      kind.entry !== undefined && Object.keys(kind.request).some((name) => request[name as keyof StageFields] != null),
  ) || entries.some((entry) => ENTRY_MEMBERS.some((member) => entry[member] !== undefined));

/** The request members of all stages. */
export type StageFields = Fields<typeof stageMembers>;

/** Returns the stages for a search, in order, and why other requested ones are not available. */
export async function stagesFor(
  services: GatewayServices,
  search: StageContext<StageFields>,
): Promise<StageSelection[]> {
  const wanted: StageSelection[] = [];
  for (const kind of PAGE) {
    if (kind.isWanted(search)) wanted.push((await kind.load())(services, search));
  }
  return wanted;
}
