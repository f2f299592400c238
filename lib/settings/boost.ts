/** `boost` of an entry of hybrid_search.yaml, a variant, a rule and a request: the same in all of them. */
import * as v from "valibot";
import { RecordKey } from "../platform/http/validate.ts";
import { type About, list, numeric, section, word } from "./kinds.ts";
import { Field } from "./names.ts";

/** The curves of OpenSearch's decay functions. */
const CURVES = ["gauss", "exp", "linear"] as const;

/** Functions of a number. */
const NUMBER_FUNCTIONS = ["log1p", "sqrt", "reciprocal"] as const;

/** How factors and relevance are combined. */
const BOOST_MODES = ["sum", "product"] as const;

/** Values of a boost that says nothing else. They are no defaults of the schema, so that answers echo requests as they are. */
export const BOOST_DEFAULTS = { mode: "sum", curve: "gauss", decay: 0.5, missing: 0, weight: 0.1 } as const;

/** The greatest number of an origin, a scale or a cap: dates are milliseconds below it. */
const MAX = 1e15;

/** Units of scales and offsets: milliseconds, and meters. */
const UNITS = {
  date: { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 },
  place: { km: 1_000, m: 1 },
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>;

const PLACE = /^(-?\d{1,2}(?:\.\d+)?), *(-?\d{1,3}(?:\.\d+)?)$/;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/;

/** A value that decays with its distance from the origin. */
export type Origin =
  | { kind: "number"; at: number }
  /** Milliseconds since 1970; undefined for the time of the search. */
  | { kind: "date"; at: number | undefined }
  /** Degrees. */
  | { kind: "place"; at: { lat: number; lon: number } };

/** Returns the origin that a setting names; undefined if it is none. */
export function originOf(setting: number | string): Origin | undefined {
  if (typeof setting === "number") return { kind: "number", at: setting };
  if (setting === "now") return { kind: "date", at: undefined };
  const place = placeOf(setting);
  if (place) return { kind: "place", at: place };
  const at = DATE.test(setting) ? Date.parse(setting) : Number.NaN;
  return Number.isNaN(at) ? undefined : { kind: "date", at };
}

/** Returns the place of a text such as `52.5, 13.4`: latitude, then longitude. */
export function placeOf(text: string): { lat: number; lon: number } | undefined {
  const [, lat, lon] = (PLACE.exec(text) ?? []).map(Number);
  const isPlace = lat !== undefined && lon !== undefined && Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
  return isPlace ? { lat, lon } : undefined;
}

/** Returns a distance in numbers, milliseconds or meters; undefined if it is none of this kind of origin. */
export function distanceOf(setting: number | string, kind: Origin["kind"]): number | undefined {
  if (typeof setting === "number") return kind === "number" ? setting : undefined;
  if (kind === "number") return undefined;
  const [, count, unit = ""] = /^(\d{1,9}(?:\.\d+)?)([a-z]{1,2})$/.exec(setting) ?? [];
  const size = (UNITS[kind] as Readonly<Record<string, number>>)[unit];
  return size === undefined ? undefined : Number(count) * size;
}

const Distance = (description: string) =>
  v.pipe(
    v.union([
      v.pipe(v.number(), v.minValue(0), v.maxValue(MAX)),
      v.pipe(v.string(), v.regex(/^\d{1,9}(\.\d+)?(d|h|m|s|km)$/)),
    ]),
    v.metadata({ allowed: "a number, a time such as 30d or a distance such as 5km", description } satisfies About),
  );

const ORIGINS = "a number, now, a day such as 2026-12-01, or a place such as 52.5,13.4";

/** `decay` of a factor. */
export const BoostDecay = v.pipe(
  section(
    {
      curve: v.optional(word(CURVES, "As in OpenSearch. Default: gauss.")),
      origin: v.pipe(
        v.union([
          v.pipe(v.number(), v.minValue(-MAX), v.maxValue(MAX)),
          v.pipe(
            v.string(),
            v.check((value) => originOf(value) !== undefined, `must be ${ORIGINS}`),
          ),
        ]),
        v.metadata({
          allowed: ORIGINS,
          description: "The best value.",
        } satisfies About),
      ),
      scale: Distance("Distance at which the factor is `decay`."),
      offset: v.optional(Distance("Up to here the factor is 1. Default: 0.")),
      decay: v.optional(numeric(0.001, 0.999, "The factor at `scale`. Default: 0.5.")),
    },
    "1 at the origin, less with distance.",
  ),
  v.check(({ origin, scale, offset }) => {
    const kind = originOf(origin)?.kind;
    const distances = [scale, offset ?? scale].map((one) => kind && distanceOf(one, kind));
    return distances.every((one) => one !== undefined) && distances[0] !== 0;
  }, "must have a scale above 0, and an offset, of the kind of its origin, such as 3, 30d or 5km"),
);

/** `number` of a factor. */
export const BoostNumber = section(
  {
    function: word(NUMBER_FUNCTIONS, "`reciprocal` raises small numbers, the others great ones."),
    cap: numeric(1e-6, MAX, "The number from which on the factor is 1."),
  },
  "By size.",
);

/** One factor. */
export const BoostFactor = v.pipe(
  section(
    {
      field: Field("A number, date, keyword, boolean or geo_point."),
      decay: v.optional(BoostDecay),
      number: v.optional(BoostNumber),
      values: v.optional(
        v.pipe(
          v.record(RecordKey, numeric(0, 1, "The factor of this value.")),
          v.metadata({ allowed: "a mapping", description: "Factors by value." } satisfies About),
        ),
      ),
      missing: v.optional(numeric(0, 1, "The factor of other values, and of none. Default: 0.")),
      weight: v.optional(numeric(0, 10, "What a factor of 1 adds, as a part of the best score. Default: 0.1.")),
    },
    "One factor.",
  ),
  v.check(
    ({ decay, number, values }) => [decay, number, values].filter((one) => one !== undefined).length === 1,
    "must have one of decay, number and values",
  ),
);

/** How factors of the hits change the order of the best ones; without factors not at all. */
export const Boost = section(
  {
    mode: v.optional(word(BOOST_MODES, "Default: sum.")),
    factors: v.optional(list(BoostFactor, "Factors, each from 0 to 1.", { max: 10 })),
  },
  "Raises the best hits by their fields; `{}` does not.",
);

/** Settings of the boost stage. */
export type BoostSettings = v.InferOutput<typeof Boost>;
export type FactorSettings = NonNullable<BoostSettings["factors"]>[number];
