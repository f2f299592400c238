import { isObject } from "../../platform/json/values.ts";
import { firstOf, type Refusal, refusal, shown } from "./names.ts";
import type { Rights } from "./rights.ts";

/** Returns whether a member with a certain name is or contains a script. */
type Holds = (member: unknown) => boolean;

/** Members that mark an object named `script` as a script. `inline` and `stored` are old names. */
const PARTS = ["source", "inline", "id", "stored", "script"];

const isScript: Holds = (member) => typeof member === "string" || PARTS.some((part) => has(member, part));

/**
 * Whether one of the members contains a script. `script_fields` and `derived` have members whose names the caller
 * chooses.
 */
const holdsNamed: Holds = (member) =>
  isObject(member) && Object.values(member).some((one) => isObject(one) && isScript(one.script));

const has = (value: unknown, key: string) => isObject(value) && key in value;

/** Processors of a search pipeline that neither run a script nor call a model or another service. */
export const PROCESSORS = new Set(
  `collapse filter_query hybrid_score_explanation neural_query_enricher neural_sparse_two_phase_processor
  normalization-processor oversample rename_field score-ranker-processor sort split truncate_hits`.split(/\s+/),
);

const holdsProcessors: Holds = (member) =>
  Array.isArray(member) &&
  member.some((one) => isObject(one) && Object.entries(one).some(([name, how]) => !isSafe(name, how)));

const isSafe = (name: string, how: unknown) =>
  PROCESSORS.has(name) || (name === "rerank" && !has(how, "ml_opensearch"));

/**
 * Members that may contain a script, by name, from the contexts of `GET /_script_context`, with a test that tells a
 * script from a field, filter or aggregation of the same name. Mustache templates and models count as scripts.
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
  // A processor's values complete this query. The rest of it is checked by the walk over the body.
  ["template", (member) => isObject(member) && JSON.stringify(member).includes("${")],
  ["agentic", (member) => has(member, "query_text")],
  ["request_processors", holdsProcessors],
  ["response_processors", holdsProcessors],
  ["phase_results_processors", holdsProcessors],
]);

/** The same with stricter tests, for calls in which any text can be the caller's, such as mappings and pipelines. */
const STRICT: ReadonlyMap<string, Holds> = new Map([
  ...HOLDERS,
  // A condition of an ingest processor.
  ["if", (member) => typeof member === "string"],
  // Documents of an index with a percolator field contain queries, which may contain scripts.
  ["type", (member) => member === "percolator"],
]);

/**
 * Names of objects whose members are fields. In them a text named `script` is a field's value, and `collate` is a
 * field. The cluster never accepts a script as text, or `collate`, in such an object, not even if the caller chose the
 * object's name (a filter, an aggregation).
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

/** Returns why a member of a search is refused: it contains a script. `parent` is the name of the object around it. */
export function memberScript(key: string, member: unknown, parent: string): Refusal | undefined {
  if (!HOLDERS.get(key)?.(member)) return undefined;
  const isField = FIELD_QUERIES.has(parent) || DOCUMENTS.has(parent) || ORDERS.has(parent);
  const isValue = key === "collate" || (key === "script" && typeof member === "string");
  return isField && isValue ? undefined : scriptAt(key);
}

/** Returns why a value of any form is refused: something in it could be a script. */
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

/** Dotted paths of settings that belong to a script. */
const SCRIPT_PART = /(^|\.)(weight_)?script\.(source|inline|id|stored)$/;

/** Returns whether the setting at a dotted path is part of a script. */
export const isScriptSetting = (path: string): boolean =>
  SCRIPT_PART.test(path) || /(^|\.)(weight_)?script$/.test(path);
