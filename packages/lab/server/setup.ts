import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Techniques } from "@relevance/lib/platform/contract/search.ts";
import { isHybrid } from "@relevance/lib/platform/json/template.ts";
import { MODELS, type ModelKind } from "@relevance/lib/settings/embedding-models.ts";
import type { HybridQuery } from "@relevance/lib/settings/hybrid-search.ts";
import { loadConfiguration, loadHybridSearch } from "@relevance/lib/settings/load.ts";

/** The services that the page calls. */
export type ProxiedService = "gateway" | "recommendation";

/** Setup of the page, read before its first request. Contains no key. */
export interface ConsoleSetup {
  /** The gateway's URL, for "copy as curl". */
  gateway: string;
  /** The recommendation service's URL; null without one. */
  recommendation: string | null;
  /** Entries of hybrid_search.yaml. */
  indexes: ConsoleIndex[];
  /** Templates of hybrid_search.yaml. */
  templates: ConsoleTemplate[];
  /** Filters of filter.yaml. */
  filters: { name: string; expression: string }[];
  /** Models that the local stack replaces, each with what computes its embeddings instead. */
  standIns: { model: string; by: string }[];
  /** Whether this is the stack of `make dev`. */
  local: boolean;
  /** A text with which the first search shows something; null if nobody knows one. */
  example: { query: string; user: string | null } | null;
  /** Optional features of the server. */
  can: {
    write: boolean;
    history: boolean;
    status: boolean;
    merchandise: boolean /** Whether there are rules to add to. */;
    rules: boolean;
  };
}

/** An entry of hybrid_search.yaml. */
export interface ConsoleIndex {
  /** An index, or the start of index names followed by `*`. */
  index: string;
  embeddings: { field: string; kind: ModelKind }[];
  candidates: number;
  /** Whether it has lists of synonyms. */
  synonyms: boolean;
  settings: Techniques & { weights: number[] | null };
}

/** A template of hybrid_search.yaml. */
export interface ConsoleTemplate {
  name: string;
  isHybrid: boolean;
  /** Its parameters, without that of the text; the kind of value of those that it declares. */
  parameters: { name: string; type: string | undefined }[];
  /** Indexes of keys of pages, which may search with this template. */
  indexes: string[];
}

/** Returns what the page must know about the templates of a configuration; nothing if it has problems. */
export function consoleTemplates(conf: string): ConsoleTemplate[] {
  try {
    const { templates } = loadHybridSearch(conf);
    const keys = existsSync(join(conf, "project.yaml")) ? (loadConfiguration(conf).api?.keys ?? []) : [];
    return templates.map(({ name, search_request_template: template, parameters, params }) => ({
      ...{ name, isHybrid: isHybrid(template) },
      parameters: parameters
        ? parameters.flatMap(({ name, type, role }) => (role === "query" ? [] : [{ name, type }]))
        : Object.keys(params).map((name) => ({ name, type: undefined })),
      indexes: keys.flatMap((key) => (key.templates?.includes(name) ? (key.indexes ?? []) : [])),
    }));
  } catch {
    // The commands that check the configuration say what is wrong with it.
    return [];
  }
}

/** Returns what the page must know about the entries of hybrid_search.yaml. */
export function consoleIndexes(entries: readonly HybridQuery[]): ConsoleIndex[] {
  return entries.map(({ index, embedding_mappings, candidates, settings, synonyms }) => ({
    index,
    embeddings: embedding_mappings.map(({ embedding_field, model_name }) => ({
      field: embedding_field,
      kind: MODELS[model_name].kind,
    })),
    candidates,
    synonyms: (synonyms?.files ?? []).length > 0,
    settings: { ...settings, weights: settings.weights ?? null },
  }));
}
