import { isObject } from "../../platform/json/values.ts";
import { firstOf, type Refusal, refusal, shown } from "./names.ts";
import type { Rights } from "./rights.ts";

/** Returns whether a value is a script, or what contains one, if it stands under a certain name. */
type Holds = (member: unknown) => boolean;

/** Members of which an object under the name `script` is a script. `inline` and `stored` are old names. */
const PARTS = ["source", "inline", "id", "stored", "script"];

const isScript: Holds = (member) => typeof member === "string" || PARTS.some((part) => has(member, part));

/** `script_fields` and `derived`, whose members have names that the caller chooses. */
const holdsNamed: Holds = (member) =>
  isObject(member) && Object.values(member).some((one) => isObject(one) && isScript(one.script));

const has = (value: unknown, key: string) => isObject(value) && key in value;

/** Processors of a search pipeline that neither run a script nor call a model or another service. */
const PROCESSORS = new Set(
  `collapse filter_query hybrid_score_explanation neural_query_enricher neural_sparse_two_phase_processor
  normalization-processor oversample rename_field score-ranker-processor sort split truncate_hits`.split(/\s+/),
);

const holdsProcessors: Holds = (member) =>
  Array.isArray(member) &&
  member.some((one) => isObject(one) && Object.entries(one).some(([name, how]) => !isSafe(name, how)));

const isSafe = (name: string, how: unknown) =>
  PROCESSORS.has(name) || (name === "rerank" && !has(how, "ml_opensearch"));

/**
 * The names under which the cluster reads a script, by the contexts of `GET /_script_context`, and how a script differs
 * from a field, filter or aggregation of that name. A mustache template and a model count as scripts as well.
 */
const HOLDERS: ReadonlyMap<string, Holds> = new Map([
  // Queries, aggregations, sorting, processors, derived fields, updates, similarity, token filters.
  ["script", isScript],
  ["weight_script", isScript],
  ["init_script", isScript],
  ["map_script", isScript],
  ["combine_script", isScript],
  ["reduce_script", isScript],
  ["minimum_should_match_script", isScript],
  ["script_fields", holdsNamed],
  ["derived", holdsNamed],
  ["collate", (member) => has(member, "query")],
  // The values of a processor complete this query. The walk reads what it contains without them.
  ["template", (member) => isObject(member) && JSON.stringify(member).includes("${")],
  ["agentic", (member) => has(member, "query_text")],
  ["request_processors", holdsProcessors],
  ["response_processors", holdsProcessors],
  ["phase_results_processors", holdsProcessors],
]);

/** The same where the caller's text may be anything, such as a mapping or the definition of a pipeline. */
const STRICT: ReadonlyMap<string, Holds> = new Map([
  ...HOLDERS,
  // A condition of an ingest processor.
  ["if", (member) => typeof member === "string"],
  // Documents of an index with such a field hold queries, which may hold scripts.
  ["type", (member) => member === "percolator"],
]);

/**
 * Names whose objects have fields as members, so that a text under `script` is the value of a field, and `collate` is a
 * field. Nowhere does the cluster accept a script as text, or `collate`, in such an object, not even where the caller
 * chose the name (a filter, an aggregation).
 */
export const FIELD_QUERIES: ReadonlySet<string> = new Set(
  "term match match_phrase match_phrase_prefix match_bool_prefix prefix wildcard fuzzy regexp".split(" "),
);
export const DOCUMENTS: ReadonlySet<string> = new Set(["doc", "document", "documents", "params"]);
const ORDERS: ReadonlySet<string> = new Set(["sort", "order"]);

const scriptAt = (key: string) =>
  refusal(
    "script",
    `${shown(key)} holds a script, a template or a model, which may stop the cluster; see scripts in api.yaml`,
  );

/** Returns why a member of a search is refused: it holds a script. `parent` is the name of the object around it. */
export function memberScript(key: string, member: unknown, parent: string): Refusal | undefined {
  if (!HOLDERS.get(key)?.(member)) return undefined;
  const isField = FIELD_QUERIES.has(parent) || DOCUMENTS.has(parent) || ORDERS.has(parent);
  const isValue = key === "collate" || (key === "script" && typeof member === "string");
  return isField && isValue ? undefined : scriptAt(key);
}

/** Returns why a value is refused that the caller may have put anywhere: something in it could be a script. */
export function scriptRefusal(value: unknown, rights: Pick<Rights, "scripts">): Refusal | undefined {
  return rights.scripts ? undefined : anyScript(value);
}

function anyScript(value: unknown): Refusal | undefined {
  if (Array.isArray(value)) return firstOf(value, anyScript);
  if (!isObject(value)) return undefined;
  return firstOf(Object.entries(value), ([key, member]) =>
    STRICT.get(key.slice(key.lastIndexOf(".") + 1))?.(member) || SCRIPT_PART.test(key)
      ? scriptAt(key)
      : anyScript(member),
  );
}

/** Dotted paths of settings that lead into a script. */
const SCRIPT_PART = /(^|\.)(weight_)?script\.(source|inline|id|stored)$/;

/** Returns whether the value at a dotted path of settings is a script. */
export const isScriptSetting = (path: string): boolean =>
  SCRIPT_PART.test(path) || /(^|\.)(weight_)?script$/.test(path);
