import * as v from "valibot";
import { isObject, isRawNumber } from "../json/values.ts";
import { endpointsThat, forbidden, type KeyRules } from "./access.ts";

const names = (most: number, form: RegExp) => v.pipe(v.array(v.pipe(v.string(), v.regex(form))), v.maxLength(most));

/** An object that has members: an empty one would be a filter that leaves everything in. valibot's records lose names. */
const Clause = v.custom<Record<string, unknown>>(
  (value) => isObject(value) && !isRawNumber(value) && Object.keys(value).length > 0,
  "must be an object with members",
);

/** The claim `relevance` of a token: what it leaves of the rights of its key. Unknown members are refused. */
export const TokenClaim = v.strictObject({
  filter: v.optional(v.union([Clause, v.pipe(v.array(Clause), v.minLength(1), v.maxLength(100))])),
  indexes: v.optional(v.pipe(names(50, /^(?![-_+.])[^\s\\/*?"<>|,#:%{}]+\*?$/), v.minLength(1))),
  templates: v.optional(names(100, /^[a-z][a-z0-9_-]{0,62}$/)),
  placements: v.optional(names(100, /^[a-z][a-z0-9_-]{0,62}$/)),
  user_id: v.optional(v.pipe(v.string(), v.nonEmpty(), v.maxLength(256))),
  segments: v.optional(names(100, /^.{1,256}$/)),
  recommend: v.optional(
    v.strictObject({
      filter_name: v.pipe(v.string(), v.nonEmpty()),
      filter_value_dict: v.record(v.string(), v.string()),
    }),
  ),
});

/** Endpoints that a token with a filter, or for one user, cannot use, because neither would limit them. */
const UNFILTERED = endpointsThat(({ isFiltered }) => !isFiltered);
const OF_ALL_USERS = ["ingest", "delete-items"];

/**
 * Returns the rules of a key as a token narrows them. Throws `forbidden` for a claim that is malformed or wider than the
 * key. `claim` has numbers as written.
 */
export function narrowedBy(key: KeyRules, claim: unknown, subject: string | null): KeyRules {
  const parsed = v.safeParse(TokenClaim, claim);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const path = ["relevance", ...(issue.path ?? []).map((one) => String(one.key))].join(".");
    throw forbidden(key, "token", `its claim ${path} is malformed: ${issue.message}`);
  }
  const { filter, indexes, templates, placements, ...rest } = parsed.output;
  requireWithin(key, "indexes", indexes, (name) =>
    key.indexes?.some((own) => own === name || (own.endsWith("*") && name.startsWith(own.slice(0, -1)))),
  );
  requireWithin(key, "templates", templates, (name) => key.templates?.includes(name));
  requireWithin(key, "placements", placements, (name) => key.placements?.includes(name));
  const isLost = (name: string) =>
    (filter !== undefined && UNFILTERED.some((one) => one === name)) ||
    (rest.user_id !== undefined && OF_ALL_USERS.includes(name)) ||
    // Recommendations show items, which the filter of searches does not reach.
    (filter !== undefined && name === "recommend" && !rest.recommend);
  return {
    ...key,
    ...(indexes && { indexes }),
    ...(templates && { templates }),
    ...(placements && { placements }),
    endpoints: key.endpoints.filter((name) => !isLost(name)),
    // What is sent with a token is checked, also for a key that may make every call.
    ...((indexes || filter) && { raw_backend: undefined, scripts: false }),
    token: {
      ...rest,
      subject,
      ...(filter && { filters: [filter].flat().flatMap(clausesOf) }),
      ownBodies: !key.templates,
    },
  };
}

function requireWithin(
  key: KeyRules,
  kind: "indexes" | "templates" | "placements",
  list: readonly string[] | undefined,
  isOwn: (name: string) => boolean | undefined,
): void {
  const wider = key[kind] && list?.find((name) => !isOwn(name));
  if (wider !== undefined) {
    throw forbidden(key, "token", `its token is wider than the key, which has not ${JSON.stringify(wider)} in ${kind}`);
  }
}

/** Returns the native queries of one object: `{field: value}`, or a query itself. Each member is one. */
const clausesOf = (filter: Readonly<Record<string, unknown>>): unknown[] =>
  Object.entries(filter).map(([name, value]) => {
    if (isObject(value) && !isRawNumber(value)) return { [name]: value };
    return Array.isArray(value) ? { terms: { [name]: value } } : { term: { [name]: value } };
  });
