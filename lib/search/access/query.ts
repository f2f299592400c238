import { isObject } from "../../core/json/values.ts";
import { strictJson } from "./json.ts";
import { type Grant, namesRefusal, valueRefusal } from "./names.ts";
import { firstOf, type Refusal, refusal } from "./refusal.ts";

/** Members that name indexes: terms lookup, more_like_this, percolate, multi-get, term vectors. */
const NAMES_INDEX = new Set(["index", "_index", "indices", "indexes"]);

/** What the gateway cannot bound to the patterns of a key, by member. A field of that name is not an object. */
const UNBOUNDED = new Map<string, Refusal>([
  ["wrapper", refusal("body", "wrapper hides a query")],
  ["indexed_shape", refusal("body", "indexed_shape reads another index")],
  ["pit", refusal("open-search", "a point in time does not name its indexes")],
  ["template", refusal("template", "a template hides a query")],
  ["collate", refusal("template", "collate holds a template")],
  ["agentic", refusal("template", "an agent writes the query")],
  ["ext", refusal("body", "ext is read by plugins")],
]);

/**
 * Returns why the body of a search is refused: a name in it that the key may not use, or a part that can name indexes
 * and cannot be read. Reads the whole body, as a lookup can be wherever a query can.
 */
export function queryRefusal(value: unknown, grant: Grant): Refusal | undefined {
  if (Array.isArray(value)) return firstOf(value, (one) => queryRefusal(one, grant));
  if (!isObject(value)) return undefined;
  for (const key in value) {
    const found = memberRefusal(key, value[key], grant);
    if (found) return found;
  }
  return undefined;
}

function memberRefusal(key: string, member: unknown, grant: Grant): Refusal | undefined {
  if (NAMES_INDEX.has(key) && !isObject(member)) return namedRefusal(member, grant);
  if (key === "indices_boost") return boostRefusal(member, grant);
  if (typeof member !== "object" || member === null) {
    return grant !== undefined && key === "search_pipeline" ? PIPELINE : undefined;
  }
  if (grant !== undefined) {
    if (key === "search_pipeline") return PIPELINE;
    const unbounded = UNBOUNDED.get(key);
    if (unbounded) return unbounded;
  } else if (key === "wrapper") return wrapperRefusal(member);
  else if (key === "collate" && /index|\\u/i.test(JSON.stringify(member))) return UNBOUNDED.get(key);
  return queryRefusal(member, grant);
}

const PIPELINE = refusal("pipeline", "a search pipeline can change the search");

/**
 * A key without patterns may have a field named `index`, so only names with a dot are refused. The cluster reads single
 * names here, without wildcards.
 */
function namedRefusal(value: unknown, grant: Grant): Refusal | undefined {
  if (grant !== undefined) return valueRefusal(value, grant, { wildcards: true });
  const values = Array.isArray(value) ? value : [value];
  return firstOf(values, (one) =>
    isObject(one)
      ? queryRefusal(one, grant)
      : typeof one === "string" && /(^|,)-?[.<]/.test(one)
        ? namesRefusal(one, grant, { wildcards: true })
        : undefined,
  );
}

/** `indices_boost` has names as keys. An unknown one fails the search, so it tells which names exist. */
function boostRefusal(boosts: unknown, grant: Grant): Refusal | undefined {
  const names = [boosts].flat().flatMap((one) => (isObject(one) ? Object.keys(one) : []));
  return firstOf(names, (name) => namesRefusal(name, grant, { wildcards: true }));
}

function wrapperRefusal(member: unknown): Refusal | undefined {
  const query = isObject(member) ? member.query : undefined;
  const inner = typeof query === "string" ? strictJson(Buffer.from(query, "base64").toString("utf8")) : undefined;
  return inner ? queryRefusal(inner.value, undefined) : refusal("body", "wrapper does not contain JSON");
}
