import type { SearchKind } from "../../platform/contract/search.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import type { JsonCall } from "../../platform/http/event.ts";
import type { GatewaySettings } from "../gateway/settings.ts";
import type { SourceTools } from "../gateway/tools.ts";
import type { Hit, SearchAnswer } from "../page/answer.ts";
import type { Page, SearchPage } from "../page/native-page.ts";
import type { PageResult, Stage } from "../page/stage.ts";
import type { Effects } from "../rules/effects.ts";
import type { PinSource, StageEntry } from "../stages/kinds.ts";
import type { SearchBody } from "./named-template.ts";
import type { NoHitsRequest } from "./no-hits.ts";
import type { Searched, Stopwatch } from "./reply.ts";
import type { CommonFields } from "./request.ts";

/** Request members that all sources share. */
export interface SearchRequest extends CommonFields, NoHitsRequest {
  template?: string | null | undefined;
  params?: Record<string, unknown> | null | undefined;
  filter?: unknown;
}

/** A request in progress. */
export interface Running<Request> extends SourceTools {
  call: JsonCall<Request>;
  watch: Stopwatch;
}

/** A search that the key may make, with the template of the request or of a variant. */
export interface Worded {
  /** The body with the request's own text. */
  own: SearchBody;
  /** The body with the text to search for. */
  worded: SearchBody;
  /** The named template that was filled. */
  template: string | undefined;
  /** The index expression to send. */
  index: string;
  /** The effects of rules. */
  effects: Effects;
}

/**
 * A source of hits, such as native or hybrid search: the native body of a request, and how to get pages from the
 * cluster.
 */
export interface Source<Request, Own extends Opened = Opened> {
  kind: SearchKind;
  /** Returns the user's text, if the request has it. */
  textOf(request: Request): string | null | undefined;
  /** Returns the body of a request, or of its named template, which `text` fills in place of the request's. */
  bodyOf(
    settings: GatewaySettings,
    call: JsonCall<Request>,
    template: string | null | undefined,
    text?: string,
  ): Promise<SearchBody>;
  /** Returns whether the text is also searched for by its embedding, whatever the body has of it. */
  isEmbedded(own: SearchBody): boolean;
  /** Returns the experiment variant for a search. Absent if no experiment is on searches of this source. */
  variantOf?(running: Running<Request>, index: string): Promise<Variant<Own> | undefined>;
  /** Resolves the indexes and settings of a search. */
  open(running: Running<Request>, search: Worded): Promise<Own>;
}

/** A search with resolved indexes. */
export interface Opened {
  /** The native body, parsed. */
  native: Record<string, unknown>;
  /** Undefined when the cluster will refuse it. */
  page: Page | undefined;
  /** Filters that every document of the answer matches, as the body has them. */
  filters: readonly unknown[];
  entry: StageEntry;
  /** Builds the search, with `settings` in place of those of the request. */
  retrieval(settings?: unknown): Promise<Retrieval>;
}

/** A search that can be sent. */
export interface Retrieval {
  /** Returns the queries that rules and synonyms may change. */
  queries(): readonly unknown[];
  /** How pinned documents are read; undefined if none are. */
  pins: PinSource | undefined;
  /** Returns why the pages of the cluster are not cut from one list, so that no stage can run; undefined if they are. */
  unpagedBecause(): Promise<string | undefined>;
  /** The most hits that the cluster returns. */
  maxResultWindow(): Promise<number>;
  /** Returns the sender of the search, for stages that need this many hits. */
  sender(window: number): Sender;
  degraded: readonly Degradation[];
  /** Settings for the request log. */
  settings: unknown;
}

/** Sends the pages of a search. */
export interface Sender {
  /** Returns the native body; `queries` replace its own. */
  body(queries?: readonly unknown[]): string;
  /** Sends a body for one page, or unchanged. */
  send(body: string, page: Page | undefined, options: { aggregate: boolean }): Promise<SearchAnswer>;
  /** Adds results that are computed after the page was cut. */
  finish(found: PageResult): Promise<PageResult>;
  /** Members of the echo that only this source has, as JSON text by name, in order. */
  echo: Readonly<Record<string, string>>;
}

/** The experiment variant for a search. */
export interface Variant<Own extends Opened> {
  /** Names of experiment and variant, as in answers and rules. */
  experiment: { name: string; variant: string };
  /** Replaces the request's template. Absent if the variants differ only in settings. */
  template: string | undefined;
  settings: unknown;
  /** Settings of stages in place of those of the entry. */
  stages: Pick<StageEntry, "boost">;
  /** In an interleaving experiment: the other variant, whose hits are mixed with those of this one. */
  other?: { template?: string | undefined; settings: unknown };
  /** Returns whether the cluster supports every variant of the experiment for this search. */
  canServe(opened: Own): boolean;
  /** Returns the stage that interleaves the hits of `other` with those of this variant. */
  interleaved(searchOther: SearchPage, window: number): Interleaved;
  /** Returns the experiment for the answer. Undefined if the search finally took no part. */
  shown(found: PageResult, interleaved: Interleaved | undefined): Searched["experiment"] | undefined;
}

/** The interleaving stage, and the variant that each hit came from. */
export interface Interleaved {
  stage: Stage;
  teamOf(hit: Hit): string | null;
}
