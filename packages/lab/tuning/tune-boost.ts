import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HYBRID_DEFAULTS } from "@relevance/lib/platform/contract/search.ts";
import { Failure } from "@relevance/lib/platform/failure.ts";
import { replaceFile } from "@relevance/lib/platform/replace-file.ts";
import { concurrently } from "@relevance/lib/platform/resilience/concurrently.ts";
import { docvalueFields, MAX_BOOSTED, valuesIn } from "@relevance/lib/search/stages/boost-hits.ts";
import type { BoostSettings } from "@relevance/lib/settings/boost.ts";
import type { HybridQuery } from "@relevance/lib/settings/hybrid-search.ts";
import { checkHybridSearchText } from "@relevance/lib/settings/load.ts";
import { listsOnlyRelevant } from "../evaluation/evaluate.ts";
import type { AnySearchAnswer } from "../evaluation/searches.ts";
import { gatewayCall, type Setting } from "../evaluation/settings-file.ts";
import type { SearchPorts } from "../gateway/ports.ts";
import type { Metric } from "../metrics/metric.ts";
import { nativeOf } from "../whereabouts/requests.ts";
import { type BoostQuery, boostCollection, tuneBoost } from "./boost.ts";
import { doubtAboutGain } from "./judged.ts";
import type { Tuning } from "./tune.ts";
import { entryOf, requireQueries, type TuningRequest } from "./tune-settings.ts";
import { withEntryKeys } from "./write-settings.ts";

type BoostRequest = Pick<TuningRequest, "file" | "judged" | "metric" | "entries" | "concurrency">;

/** A boost with better weights and scales, and the entry whose boost is compared with it. */
export interface TunedBoost {
  tuning: Tuning<BoostSettings>;
  entry: HybridQuery | undefined;
}

/**
 * Searches for all judged queries with a setting but its boost, and finds better weights and scales of the boost's factors.
 * Throws UsageError and Failure.
 */
export async function tuneBoostOf(
  setting: Setting & { boost: BoostSettings },
  { file, judged, metric, entries, concurrency }: BoostRequest,
  { gateway, note }: SearchPorts,
): Promise<TunedBoost> {
  const { queries, judgments, origins, check } = judged;
  requireQueries(queries, check, note);
  const entry = await entryOf(gateway, entries, file.index);
  const proposed = setting.boost;
  const current = entry?.boost ?? { factors: [] };
  const factors = [...(proposed.factors ?? []), ...(current.factors ?? [])];
  const window = Math.min(entry?.candidates ?? HYBRID_DEFAULTS.candidates, MAX_BOOSTED);
  note(`Searching for ${queries.length} queries`);
  const lists = await concurrently(queries, concurrency, async (query): Promise<BoostQuery> => {
    // The stage behind the boost would change the list that it gets.
    const call = gatewayCall(file, { ...setting, boost: {}, variety: {} }, query, MAX_BOOSTED);
    Object.assign(nativeOf(call), { docvalue_fields: docvalueFields(factors) });
    const { body } = await gateway.post<AnySearchAnswer>(call.path, call.body);
    const hits = body.search_response.hits.hits.map((hit) => ({
      id: hit._id ?? "",
      score: hit._score ?? 0,
      values: Object.fromEntries(factors.map(({ field }) => [field, valuesIn(hit, field)])),
    }));
    return { grades: judgments.get(query.id) ?? new Map(), hits, window };
  });
  const now = Date.now();
  const measuredBy = (other: Metric) => boostCollection(lists, other, now);
  const found = tuneBoost(measuredBy(metric), { current, proposed });
  const gain = { metric, measuredBy, current, best: found.best, isReal: found.isReal };
  const doubt = listsOnlyRelevant(judgments, origins) ? undefined : doubtAboutGain(gain);
  return { tuning: doubt === undefined ? found : { ...found, isReal: false, doubt }, entry };
}

/** Writes a boost into an entry of hybrid_search.yaml. Throws Failure and ConfigurationError. */
export function writeBoost(conf: string, { entry, tuning: { best } }: TunedBoost, note: SearchPorts["note"]): void {
  const file = join(conf, "hybrid_search.yaml");
  const factors = best.factors?.filter(({ weight }) => weight !== 0) ?? [];
  const boost = factors.length > 0 ? JSON.stringify({ ...best, factors }) : undefined;
  const changed = entry && withEntryKeys(readFileSync(file, "utf8"), entry.index, { boost });
  if (changed === undefined) {
    throw new Failure(`${file} has no entry in block style for this index: add the boost above by hand`);
  }
  checkHybridSearchText(conf, changed);
  replaceFile(file, changed);
  note(`Written to ${file}. Run \`relevance deploy\`, or restart \`make dev\`, to use it.`);
}
