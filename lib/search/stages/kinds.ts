import type * as v from "valibot";
import type { PageStage } from "../../platform/contract/search.ts";
import type { StageMember } from "../../settings/page-stages.ts";
import type { IndexSettings } from "../gateway/settings.ts";
import type { StageTools } from "../gateway/tools.ts";
import type { Page } from "../page/native-page.ts";
import type { StageSelection } from "../page/stage.ts";
import type { Effects } from "../rules/effects.ts";

/** Limit of a request member for keys with `templates`: its schema, or the most characters of a text. */
export type Bound = "schema" | number;

/** The request members of a stage, as values. */
export type Fields<Members extends v.ObjectEntries> = v.InferOutput<v.StrictObjectSchema<Members, undefined>>;

/** The stage settings that the entries of all searched indexes agree on. */
export interface StageEntry extends Pick<IndexSettings, StageMember | "candidates" | "embedding_mappings"> {
  /** Whether an index has a search pipeline, which may change the documents that stages read. */
  hasPipeline?: boolean;
}

/** How to read pinned documents. */
export interface PinSource {
  /**
   * Returns the native body without the rules' changes to its query. It determines the content of hits, and the filters
   * for pins.
   */
  body: () => string;
  /** The search pipeline as JSON text, if it is not that of the body. */
  pipeline?: string;
}

/** The search that a stage belongs to. */
export interface StageContext<Request> {
  /** The index expression that is searched. */
  index: string;
  request: Request;
  userId: string | null;
  /** The text that is searched for, if the request has one. */
  text: string | null | undefined;
  entry: StageEntry;
  /** The native body, parsed. */
  native: Record<string, unknown>;
  /** Undefined when the cluster will refuse it. */
  page: Page | undefined;
  effects: Effects;
  /** Filters that every document of the answer matches. */
  filters: readonly unknown[];
  /** Undefined if this search cannot read hits past its end. */
  pins: PinSource | undefined;
}

/** Members of requests and entries for a part of the search, and which keys may send them. */
export interface Declared<Members extends v.ObjectEntries> {
  /** Its request members. The answer echoes those that are present. */
  request: Members;
  /** Its member in an entry of hybrid_search.yaml. */
  entry?: StageMember;
  /**
   * Members that a key with `templates` may send. The others change the order, what the answer says about it, or the
   * cost.
   */
  pageMembers?: Readonly<Record<string, Bound>>;
}

/** A stage of the page, with everything that the rest of the gateway needs. */
export interface PageStageKind<Members extends v.ObjectEntries = v.ObjectEntries> extends Declared<Members> {
  name: PageStage;
  /** Whether the stage may apply to a search, as far as this can be decided without loading its code. */
  isWanted(search: StageContext<Fields<Members>>): boolean;
  /** Loads the code that returns the stage for a search, or why a requested stage is not available. */
  load(): Promise<(tools: StageTools, search: StageContext<Fields<Members>>) => StageSelection>;
}

/** Returns the kind of a stage, typed by its members. */
export const pageStage = <Members extends v.ObjectEntries>(kind: PageStageKind<Members>): PageStageKind<Members> =>
  kind;
