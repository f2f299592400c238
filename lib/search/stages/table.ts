import type { PageStage } from "../../platform/contract/search.ts";
import type { StageMember } from "../../settings/page-stages.ts";
import type { IndexSettings } from "../gateway/settings.ts";
import type { StageTools } from "../gateway/tools.ts";
import type { StageSelection } from "../page/stage.ts";
import type { TargetIndex } from "../resolve/target.ts";
import { boost } from "./boost.ts";
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
const PAGE = { personalization, rerank, boost, variety, rules } satisfies Record<
  Exclude<PageStage, "interleaving">,
  unknown
>;

/** The same stages, and what changes the queries. */
const DECLARED = [...Object.values(PAGE), synonyms];

/** The members of all parts together, as one object has them. */
type Merged<Part> = (Part extends unknown ? (part: Part) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The members of a request that stages read. */
export const stageMembers = Object.assign({}, ...DECLARED.map(({ request }) => request)) as Merged<
  (typeof DECLARED)[number]["request"]
>;

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
  Object.values(PAGE).some(
    (kind) =>
      kind.entry !== undefined && Object.keys(kind.request).some((name) => request[name as keyof StageFields] != null),
  ) || entries.some((entry) => ENTRY_MEMBERS.some((member) => entry[member] !== undefined));

/** The request members of all stages. */
export type StageFields = Fields<typeof stageMembers>;

/** Returns the stages for a search, in order, and why other requested ones are not available. */
export async function stagesFor(tools: StageTools, search: StageContext<StageFields>): Promise<StageSelection[]> {
  const wanted: StageSelection[] = [];
  for (const kind of Object.values(PAGE)) {
    if (kind.isWanted(search)) wanted.push((await kind.load())(tools, search));
  }
  return wanted;
}

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
