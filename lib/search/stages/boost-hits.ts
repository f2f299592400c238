import { isObject, numberOf } from "../../platform/json/values.ts";
import { BOOST_DEFAULTS, type BoostSettings, type FactorSettings, originOf } from "../../settings/boost.ts";
import type { StageTools } from "../gateway/tools.ts";
import { ownOrderOf } from "../page/native-page.ts";
import { readAgain } from "../page/read-again.ts";
import type { Stage, StageSelection } from "../page/stage.ts";
import { boosted, type FieldValues } from "./boost-scores.ts";
import type { StageContext } from "./kinds.ts";

/** The most hits whose fields are read. */
export const MAX_BOOSTED = 200;

/** Milliseconds for one search by ids and the computation. */
const BUDGET_MS = 2_000;

const LOST = "hits are not raised by their fields";

type Search = Pick<
  StageContext<{ boost?: BoostSettings | null | undefined }>,
  "index" | "request" | "native" | "page"
> & {
  entry: Pick<StageContext<unknown>["entry"], "boost" | "candidates">;
  effects: Pick<StageContext<unknown>["effects"], "boostHits">;
};

/**
 * Returns the stage that raises hits by their fields, or why a requested stage is not available; neither without factors.
 * It does not apply to searches with an order of their own, which is only reported if the request itself asked for it.
 */
export function boostStage(
  { cluster }: Pick<StageTools, "cluster">,
  { index, request: { boost: own }, entry, effects, native, page }: Search,
  clock: () => number = Date.now,
): StageSelection {
  const settings = own ?? effects.boostHits ?? entry.boost;
  const { factors = [] } = settings ?? {};
  if (!settings || factors.length === 0 || page === undefined || page.size === 0) return {};
  const order = ownOrderOf(native);
  if (order !== undefined) {
    if (!own) return {};
    const reason = `the request has its own ${order}`;
    return { declined: { stage: "boost", target: "search_response", reason, effect: LOST } };
  }
  const now = clock();
  const run: Stage["run"] = async (hits, deadline) => {
    if (hits.length === 0) return { order: [] };
    const fields = [...new Set(factors.map(({ field }) => field))];
    const read = { _source: false, docvalue_fields: docvalueFields(factors) };
    const found = await readAgain(cluster, { index, hits, fields, read }, deadline);
    const values = found.map((hit) => factors.map((factor) => valuesIn(hit, factor.field)));
    const scores = hits.map(({ _score }) => numberOf(_score ?? 0));
    const ranked = boosted(settings, { scores, values, now });
    return {
      order: ranked.map(({ at }) => at),
      parts: ranked.map(({ score, relevance, factors: own }) => ({
        ...{ score, relevance },
        factors: own.map((value, at) => ({
          field: factors[at]?.field ?? "",
          value,
          weight: factors[at]?.weight ?? BOOST_DEFAULTS.weight,
        })),
      })),
    };
  };
  const window = Math.min(entry.candidates, MAX_BOOSTED);
  const stage = { window, budgetMs: BUDGET_MS, effect: "reorders", lost: LOST, told: false, run } as const;
  return { stage: { name: "boost", ...stage } };
}

/** Returns what a search body names to read the fields of factors. */
export function docvalueFields(factors: readonly FactorSettings[]): Array<{ field: string; format?: string }> {
  const isDate = ({ decay }: FactorSettings) => decay !== undefined && originOf(decay.origin)?.kind === "date";
  const dates = new Set(factors.filter(isDate).map(({ field }) => field));
  const fields = [...new Set(factors.map(({ field }) => field))];
  return fields.map((field) => (dates.has(field) ? { field, format: "epoch_millis" } : { field }));
}

/** Returns the values of a hit that was read by `docvalueFields`. */
export function valuesIn(hit: object | undefined, field: string): FieldValues {
  const fields = hit && "fields" in hit && isObject(hit.fields) ? hit.fields : {};
  const values = fields[field];
  return Array.isArray(values) ? values : [];
}
