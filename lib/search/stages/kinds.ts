import type * as v from "valibot";
import type { PageStage } from "../../platform/contract/search.ts";
import type { StageMember } from "../../settings/page-stages.ts";
import type { GatewayServices } from "../gateway/services.ts";
import type { IndexSettings } from "../gateway/settings.ts";
import type { Page } from "../page/native-page.ts";
import type { Wanted } from "../page/stage.ts";
import type { Effects } from "../rules/effects.ts";

/** The limit of a member of a request that a page's key may send: its schema, or the most characters of a text. */
export type Bound = "schema" | number;

/** The members of a request that belong to a stage, as values. */
export type Fields<Members extends v.ObjectEntries> = v.InferOutput<v.StrictObjectSchema<Members, undefined>>;

/** What the entries of the searched indexes say of stages, as far as they agree. */
export interface StageEntry extends Pick<IndexSettings, StageMember | "candidates" | "embedding_mappings"> {
  /** Whether an index has a search pipeline, which may change the documents that stages get. */
  hasPipeline?: boolean;
}

/** How pinned documents are read. */
export interface PinSource {
  /** The native body that is sent, without what rules change in its query: it says what hits show, and which filters pins pass. */
  body: () => string;
  /** The search pipeline of that search as JSON text, if it is not that of the body. */
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
  /** Undefined if the hits of this search cannot be read behind its end. */
  pins: PinSource | undefined;
}

/** What a request and an entry may say of a part of the search, and who may say it. */
export interface Declared<Members extends v.ObjectEntries> {
  /** Its members of a request. An answer echoes those that the request has. */
  request: Members;
  /** Its member of an entry of hybrid_search.yaml. */
  entry?: StageMember;
  /** Which of its members a key with `templates` may send. The others change the order, what is told of it, or its price. */
  pageMembers?: Readonly<Record<string, Bound>>;
}

/** A stage of the page: everything that the rest of the gateway needs to know of it. */
export interface PageStageKind<Members extends v.ObjectEntries = v.ObjectEntries> extends Declared<Members> {
  name: PageStage;
  /** Whether a search may have it, as far as that can be said without loading its code. */
  isWanted(search: StageContext<Fields<Members>>): boolean;
  /** Loads the code that returns the stage of a search, or why it cannot have the one that it asks for. */
  load(): Promise<(services: GatewayServices, search: StageContext<Fields<Members>>) => Wanted>;
}

/** Returns the kind of a stage, with the types of its members. */
export const pageStage = <Members extends v.ObjectEntries>(kind: PageStageKind<Members>): PageStageKind<Members> =>
  kind;
