import { isRawNumber } from "../../../platform/json/values.ts";
import { OVERSAMPLE_FACTOR, type Vectors } from "../../../settings/vectors.ts";

/**
 * Returns a query whose knn clauses rescore candidates with full-precision vectors, if the cluster does not do so by
 * default. `stored` has the storage formats of fields. A clause with its own `rescore` keeps it.
 */
export function withRescoring(query: unknown, stored: ReadonlyMap<string, Vectors>): unknown {
  return [...stored.values()].some((one) => OVERSAMPLE_FACTOR[one]) ? rescored(query, stored, false) : query;
}

function rescored(value: unknown, stored: ReadonlyMap<string, Vectors>, isKnn: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => rescored(item, stored, false));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const inner = rescored(item, stored, key === "knn");
      const token = isKnn && isObject(item) && typeof item.vector === "string" ? item.vector.slice(1, -1) : "";
      const vectors = stored.get(token);
      const oversample_factor = vectors && OVERSAMPLE_FACTOR[vectors];
      return [key, oversample_factor === undefined ? inner : { rescore: { oversample_factor }, ...Object(inner) }];
    }),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !isRawNumber(value);
