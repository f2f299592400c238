import type { SearchKind } from "../../platform/contract/search.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import type { JsonCall } from "../../platform/http/event.ts";
import type { GatewayServices } from "../gateway/services.ts";
import type { GatewaySettings } from "../gateway/settings.ts";
import type { Hit, SearchAnswer } from "../page/answer.ts";
import type { Page, SearchPage } from "../page/native-page.ts";
import type { Found, Stage } from "../page/stage.ts";
import type { Effects } from "../rules/effects.ts";
import type { PinSource, StageEntry } from "../stages/kinds.ts";
import type { SearchBody } from "./named-template.ts";
import type { NoHitsRequest } from "./no-hits.ts";
import type { Searched, Stopwatch } from "./reply.ts";
import type { CommonFields } from "./request.ts";

/** What the requests of all sources have in common. */
export interface SearchRequest extends CommonFields, NoHitsRequest {
  template?: string | null | undefined;
  params?: Record<string, unknown> | null | undefined;
}

/** A request on its way. */
export interface Running<Request> {
  services: GatewayServices;
  call: JsonCall<Request>;
  watch: Stopwatch;
}

/** A search that the key may make: by the template of the request, or of a variant. */
export interface Worded {
  /** Its body with the text of the request. */
  own: SearchBody;
  /** Its body with the text that is searched for. */
  worded: SearchBody;
  /** The index expression to send. */
  index: string;
  /** What rules do to it. */
  effects: Effects;
}

/** Where the hits of a search come from: what its native body is, and how the cluster is asked for a page of it. */
export interface Source<Request, Own extends Opened = Opened> {
  kind: SearchKind;
  /** Returns the text that the user typed, if the request has it. */
  textOf(request: Request): string | null | undefined;
  /** Returns the body that a request has, or that the named template becomes; `text` is searched for in place of its own. */
  bodyOf(
    settings: GatewaySettings,
    call: JsonCall<Request>,
    template: string | null | undefined,
    text?: string,
  ): Promise<SearchBody>;
  /** Returns the variant of an experiment that a search gets. Absent if none is on such searches. */
  variantOf?(running: Running<Request>, index: string): Promise<Variant<Own> | undefined>;
  /** Finds out what is searched. */
  open(running: Running<Request>, search: Worded): Promise<Own>;
}

/** A search whose indexes are known. */
export interface Opened {
  /** The native body, parsed. */
  native: Record<string, unknown>;
  /** Undefined when the cluster will refuse it. */
  page: Page | undefined;
  entry: StageEntry;
  /** Makes what is searched, by `settings` in place of those of the request. */
  retrieval(settings?: unknown): Promise<Retrieval>;
}

/** A search that can be sent. */
export interface Retrieval {
  /** Returns the queries that rules and synonyms may change. */
  queries(): readonly unknown[];
  /** How pinned documents are read; undefined if none are. */
  pins: PinSource | undefined;
  /** The most hits that the cluster returns. */
  maxResultWindow(): Promise<number>;
  /** Returns what sends it, for stages that need this many hits. */
  sender(window: number): Sender;
  degraded: readonly Degradation[];
  /** Settings for the request log. */
  settings: unknown;
}

/** Sends the pages of a search. */
export interface Sender {
  /** Returns the native body; with these queries in place of its own. */
  body(queries?: readonly unknown[]): string;
  /** Sends a body for a page, or as it is. */
  send(body: string, page: Page | undefined, options: { aggregate: boolean }): Promise<SearchAnswer>;
  /** Adds what is found out after the page was cut. */
  finish(found: Found): Promise<Found>;
  /** Members of the echo beside those that all searches have, as JSON text by name, in order. */
  echo: Readonly<Record<string, string>>;
}

/** The variant of an experiment that a search gets. */
export interface Variant<Own extends Opened> {
  /** As answers and rules name it. */
  experiment: { name: string; variant: string };
  /** Used in place of the request's template; absent if the variants differ in settings alone. */
  template: string | undefined;
  settings: unknown;
  /** In an experiment that interleaves: the variant whose hits are shown among those of this one. */
  other?: { template?: string | undefined; settings: unknown };
  /** Whether the cluster can serve every variant of the experiment to such a search. */
  canServe(opened: Own): boolean;
  /** Returns the stage that interleaves the hits of `other` with those of this one. */
  interleaved(searchOther: SearchPage, window: number): Interleaved;
  /** Returns the experiment of an answer. Undefined if the search took no part after all. */
  shown(found: Found, interleaved: Interleaved | undefined): Searched["experiment"] | undefined;
}

/** The stage that interleaves, and which variant has picked a hit. */
export interface Interleaved {
  stage: Stage;
  teamOf(hit: Hit): string | null;
}
