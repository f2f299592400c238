import type { Techniques } from "@relevance/lib/platform/contract/search.ts";

/** Settings of a search that a column shows. */
export type Variant =
  | { kind: "subquery"; subquery: string }
  | HybridVariant
  | PlainVariant
  | TemplateVariant
  | { kind: "own"; name: string /** JSON of a `search_request_template` with one hybrid query. */; template: string };

/** A keyword search with boosts and a filter. */
export interface PlainVariant {
  kind: "plain";
  name: string;
  /** How much a field counts, where that is not 1; with 0 it is not searched. */
  boosts: Readonly<Record<string, number>>;
  /** Filter in Lucene syntax, such as `category:history`; empty for none. */
  filter: string;
}

/** A search by a template of hybrid_search.yaml. */
export interface TemplateVariant {
  kind: "template";
  name: string;
  template: string;
  /** Values of its parameters as typed; the others have their defaults. */
  params: Readonly<Record<string, string>>;
}

export interface HybridVariant {
  kind: "hybrid";
  name: string;
  /** Null: what the gateway is configured to use. */
  settings:
    | (Techniques & { /** Null: equal weights, which is all that some techniques take. */ weights: number[] | null })
    | null;
  /** Weight of the user's own ranking, from 0 to 1. */
  personal?: number;
}
