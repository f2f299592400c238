import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HYBRID_DEFAULTS } from "@relevance/lib/platform/contract/search.ts";
import { Failure, UsageError } from "@relevance/lib/platform/failure.ts";
import { ApiError } from "@relevance/lib/platform/http/error.ts";
import { withQuery } from "@relevance/lib/platform/json/template.ts";
import { replaceFile } from "@relevance/lib/platform/replace-file.ts";
import { concurrently } from "@relevance/lib/platform/resilience/concurrently.ts";
import { capabilitiesOf } from "@relevance/lib/search/opensearch/capabilities.ts";
import { findMapping } from "@relevance/lib/search/resolve/entry.ts";
import { entryFor } from "@relevance/lib/search/resolve/entry-for.ts";
import type { HybridQuery } from "@relevance/lib/settings/hybrid-search.ts";
import { checkHybridSearchText } from "@relevance/lib/settings/load.ts";
import type { CandidatesAnswer } from "../../clients/typescript/src/types.ts";
import { listsOnlyRelevant } from "../evaluation/evaluate.ts";
import type { JudgedQueries } from "../evaluation/input.ts";
import type { SettingsFile } from "../evaluation/settings-file.ts";
import type { SearchPorts } from "../gateway/ports.ts";
import type { Metric } from "../metrics/metric.ts";
import { type Candidates, candidatesIn } from "../whereabouts/subquery-places.ts";
import { collectionOf, type TuningQuery } from "./collection.ts";
import { doubtAboutGain } from "./judged.ts";
import { type TunedSettings, techniquesOf } from "./settings.ts";
import { surfaceSvg } from "./surface.ts";
import { MIN_QUERIES, type Tuning, tune } from "./tune.ts";
import { withDefaults } from "./write-settings.ts";

/** Inputs and search space of a tuning. */
export interface TuningRequest {
  /** Has the hybrid template beside the index. */
  file: SettingsFile;
  judged: JudgedQueries;
  metric: Metric;
  /** Entries of hybrid_search.yaml. */
  entries: readonly HybridQuery[];
  /** Numbers of candidates to try, besides the current one. */
  candidates: readonly number[];
  /** Values of `k` to try besides those of the template's knn queries; each costs a retrieval. */
  ks: readonly number[];
  /** Searches at a time. */
  concurrency: number;
}

/** Result of a tuning. */
export interface TunedIndex {
  tuning: Tuning;
  /** The entry of hybrid_search.yaml that the index has. */
  entry: HybridQuery | undefined;
  /** Draws the metric over the weights of the first two subqueries, as SVG. */
  draw(): string;
}

/** Retrieves the candidates of all judged queries, and finds better settings of hybrid search. Throws UsageError and Failure. */
export async function tuneSettings(
  { file, judged, metric, entries, ...tried }: TuningRequest,
  { gateway, note }: SearchPorts,
): Promise<TunedIndex> {
  const { index, template } = file;
  const { queries, judgments, origins, check } = judged;
  if (template === undefined) throw new UsageError("Tuning needs a hybrid template beside index");
  requireQueries(queries, check, note);
  const entry = await entryOf(gateway, entries, index);
  const current = entry?.candidates ?? 100;
  const depths = [...new Set([current, ...tried.candidates])];
  // The template's own first, which is in use; its number again would cost a retrieval for nothing.
  const own = knnSizes(template);
  const ks = [null, ...tried.ks.filter((k) => own.some((other) => other !== k))];
  note(`Retrieving the candidates of ${queries.length} queries`);
  let support: Candidates | undefined;
  const retrieved = await concurrently(queries, tried.concurrency, async (query): Promise<TuningQuery> => {
    const byK = new Map<number | null, Candidates["subqueries"]>();
    for (const k of ks) {
      const filled = withQuery(template, query.text);
      const body = { index, search_query: query.text, search_request_template: withK(filled, k) };
      const path = "/application/hybrid-search/candidates";
      const answer = await gateway.post<CandidatesAnswer>(path, { ...body, depth: Math.max(...depths) });
      support = candidatesIn(answer.body);
      byK.set(k, support.subqueries);
    }
    return { id: query.id, grades: judgments.get(query.id) ?? new Map(), retrieved: byK };
  });
  const { globalRanks = false, version = "0", subqueries = [] } = support ?? {};
  const collection = collectionOf(retrieved, metric, globalRanks);
  const configured = entry?.settings;
  const fits = configured?.weights?.length === subqueries.length;
  const inUse: TunedSettings = {
    normalization: configured?.normalization ?? HYBRID_DEFAULTS.normalization,
    combination: configured?.combination ?? HYBRID_DEFAULTS.combination,
    weights: fits ? (configured?.weights ?? null) : null,
    ...{ candidates: current, k: null },
  };
  const techniques = techniquesOf(capabilitiesOf(version));
  const found = tune(collection, { current: inUse, techniques, candidates: depths, ks });
  const measuredBy = (other: Metric) => collectionOf(retrieved, other, globalRanks);
  const gain = { metric, measuredBy, current: inUse, best: found.best, isReal: found.isReal };
  const doubt = listsOnlyRelevant(judgments, origins) ? undefined : doubtAboutGain(gain);
  const tuning: Tuning = doubt === undefined ? found : { ...found, isReal: false, doubt };
  return { tuning, entry, draw: () => surfaceSvg(collection, tuning.best, metric.name) };
}

/** Requires enough queries, and warns of judgments by a model. */
export function requireQueries(
  queries: readonly unknown[],
  check: JudgedQueries["check"],
  note: SearchPorts["note"],
): void {
  if (check) note("A language model judged, and `tune` does not correct its error: confirm with `relevance evaluate`");
  if (queries.length >= MIN_QUERIES) return;
  throw new UsageError(`Tuning needs at least ${MIN_QUERIES} judged queries: the judgments have ${queries.length}`);
}

/** Returns the entry that an index has. */
export const entryOf = (gateway: SearchPorts["gateway"], entries: readonly HybridQuery[], index: string) =>
  entryFor(gateway.cluster, entries, index).catch((error: unknown) => {
    // A key that may only search cannot ask what an alias stands for.
    if (error instanceof ApiError) return findMapping(entries, index);
    throw error;
  });

/** Writes settings into an entry of hybrid_search.yaml, and notes what is left to do. Throws Failure and ConfigurationError. */
export function writeTuned(
  conf: string,
  { entry, tuning: { best } }: Pick<TunedIndex, "entry" | "tuning">,
  note: SearchPorts["note"],
): void {
  const file = join(conf, "hybrid_search.yaml");
  const changed = entry && withDefaults(readFileSync(file, "utf8"), entry.index, best);
  if (changed === undefined) {
    throw new Failure(`${file} has no entry in block style for this index: add the settings above by hand`);
  }
  checkHybridSearchText(conf, changed);
  replaceFile(file, changed);
  note(`Written to ${file}. Run \`relevance deploy\`, or restart \`make dev\`, to use them.`);
  if (best.k === null) return;
  note(
    `k is part of a search template and no setting of an index. The gain was measured with k: ${best.k}: set it in the ` +
      "knn queries of your templates.",
  );
}

/** Returns the `k` of each knn query of a template; undefined for one without. */
function knnSizes(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const isKnn = key === "knn" && typeof item === "object" && item !== null;
    return isKnn
      ? Object.values(item as Record<string, { k?: unknown } | null>).map((query) => query?.k)
      : knnSizes(item);
  });
}

/** Returns a copy of a template whose knn queries have another k; the template itself if `k` is null. */
function withK(value: unknown, k: number | null): unknown {
  if (k === null || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withK(item, k));
  const entries = Object.entries(value).map(([key, item]) => {
    if (key !== "knn" || typeof item !== "object" || item === null) return [key, withK(item, k)];
    const fields = Object.entries(item).map(([field, query]) => [field, { ...(query as object), k }]);
    return [key, Object.fromEntries(fields)];
  });
  return Object.fromEntries(entries);
}
