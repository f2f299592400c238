import { isObject } from "../../platform/json/values.ts";
import { bulk, searchPairs, UNREADABLE } from "./bodies.ts";
import { endpointOf, type NativeRequest, TEMPLATE_PATH } from "./calls.ts";
import { firstOf, namesRefusal, type Refusal, type Rule, refusal, valueRefusal } from "./names.ts";
import { queryRefusal, strictJson } from "./query.ts";
import type { Rights } from "./rights.ts";

/** The parts of a call that may contain an index name. */
export type NamingCall = Omit<NativeRequest, "contentType">;

/** Calls that return documents, or whether some match. Without an index they read all indexes. */
const READS = new Set("_search _count _msearch _validate _field_caps _rank_eval _asynchronous_search".split(" "));

/** The same for calls that require an index. */
const READS_NAMED = new Set(
  "_doc _source _explain _mget _termvectors _mtermvectors _delete_by_query _update_by_query".split(" "),
);

/** Calls whose body is not checked: it is a document or names fields, which may have any name. */
const UNREAD = new Set("_doc _create _update _source _mapping _mappings _settings".split(" "));

/** Calls whose body may contain mappings, and aliases with queries. The empty name creates an index. */
const CREATIONS = new Set(["", "_index_template", "_component_template", "_template"]);

/** Members of the bodies of plugins that name indexes: transforms, rollups, machine learning. */
const PLUGIN_NAMES = new Set("source_index target_index training_index input_index result_index".split(" "));

/** Calls that copy an index. The next segment is the name of the copy. */
const COPIES = new Set(["_clone", "_shrink", "_split", "_rollover"]);

/** Unlimited rights: only names are checked here. */
const FREE: Rights = { grant: undefined, scripts: true, limits: {}, limited: false };

/** Name options that refuse only dot names. The cluster refuses invalid names. */
const named = (remote: boolean) => ({ wildcards: true, lenient: true, remote });

/**
 * Returns why a call is refused that may read or change a dot index: by its path, the parameter `index` or its body.
 * With `remote`, names of remote clusters are allowed.
 */
export function systemRefusal(call: NamingCall, remote: boolean): Refusal | undefined {
  const { method, segments, parameters, body } = call;
  const [first = ""] = segments;
  const hasPath = segments.length > 0 && (!first.startsWith("_") || first === "_all");
  const operation = (first === "_plugins" ? segments[1] : endpointOf(segments).name) ?? "";
  const expressions = [
    ...(hasPath ? [first] : []),
    ...parameters.filter(([name]) => name === "index").map(([, value]) => value),
  ];
  const options = named(remote);
  // A call that only describes indexes may use a wildcard.
  const describes = (method === "GET" || method === "HEAD") && !READS.has(operation) && !READS_NAMED.has(operation);
  const wrong =
    firstOf(expressions, (expression) =>
      describes ? dottedRefusal(expression) : namesRefusal(expression, undefined, options),
    ) ?? (COPIES.has(operation) ? dottedRefusal(segments[2] ?? "") : undefined);
  if (wrong) return wrong;
  const sources = parameters.filter(([name]) => name === "source").map(([, value]) => value);
  const texts = body.length > 0 ? [body.toString("utf8"), ...sources] : sources;
  const hasIndex = expressions.length > 0;
  if (!hasIndex && READS.has(operation) && operation !== "_msearch" && !hasOwnIndexes(segments, texts)) {
    return refusal("every-index", "a search without an index searches every index; name them, or *,-.*");
  }
  if (TEMPLATE_PATH.test(segments.join("/")) && texts.some((text) => /"(source|\\u)/.test(text))) {
    return refusal("template", "a template hides a query; store it, or send the query itself");
  }
  return firstOf(texts, (text) => bodyRefusal(operation, text, hasIndex, remote));
}

const DOTTED: ReadonlySet<Rule> = new Set(["dot-index", "date-math"]);

/** Returns why an expression that names a dot index is refused; wildcards are allowed. */
function dottedRefusal(expression: string): Refusal | undefined {
  return firstOf(expression.split(","), (part) => {
    const name = part.replace(/^-/, "");
    const found = /^<?\*/.test(name) ? undefined : namesRefusal(name, undefined, named(true));
    return found && DOTTED.has(found.rule) ? found : undefined;
  });
}

/** Returns whether a call uses a scroll or PIT, which has the indexes that it was opened with. */
function hasOwnIndexes([, next = ""]: readonly string[], texts: readonly string[]): boolean {
  if (next === "scroll" || next === "point_in_time" || next === "pipeline") return true;
  const parsed = texts.map(strictJson);
  return parsed.length > 0 && parsed.every((one) => one && isObject(one.value) && isObject(one.value.pit));
}

function bodyRefusal(operation: string, text: string, hasIndex: boolean, remote: boolean): Refusal | undefined {
  if (UNREAD.has(operation)) return undefined;
  if (operation === "_bulk") return bulk({ text, rights: FREE, hasIndex });
  if (operation === "_msearch") return searchesRefusal(text, hasIndex, remote);
  const parsed = strictJson(text);
  if (!parsed) return text.trim() === "" ? undefined : UNREADABLE;
  const { value } = parsed;
  if (!isObject(value)) return undefined;
  const options = named(remote);
  if (operation === "_reindex") {
    const sides = [value.source, value.dest].filter(isObject);
    const wrong = firstOf(sides, ({ index }) => valueRefusal(index, undefined, options));
    if (wrong) return wrong;
  }
  if (operation === "_aliases") {
    const wrong = firstOf([value.actions].flat().filter(isObject).flatMap(Object.values).filter(isObject), (action) =>
      firstOf(["index", "indices", "alias", "aliases"], (key) =>
        key in action ? valueRefusal(action[key], undefined, options) : undefined,
      ),
    );
    if (wrong) return wrong;
  }
  return queryRefusal(CREATIONS.has(operation) ? withoutMappings(value) : value, FREE) ?? pluginRefusal(value);
}

/** Returns why a body is refused in which a plugin's member names a dot index. */
function pluginRefusal(value: unknown): Refusal | undefined {
  if (Array.isArray(value)) return firstOf(value, pluginRefusal);
  if (!isObject(value)) return undefined;
  return firstOf(Object.entries(value), ([key, member]) =>
    PLUGIN_NAMES.has(key)
      ? firstOf([member].flat(), (name) => (typeof name === "string" ? dottedRefusal(name) : undefined))
      : pluginRefusal(member),
  );
}

const withoutMappings = (value: object): unknown =>
  JSON.parse(JSON.stringify(value, (key, member) => (key === "mappings" ? undefined : member)));

function searchesRefusal(text: string, hasIndex: boolean, remote: boolean): Refusal | undefined {
  return firstOf(searchPairs(text), (pair) => {
    if (!pair) return UNREADABLE;
    const keys = ["index", "indices"].filter((key) => key in pair.header);
    if (keys.length === 0 && !hasIndex) return refusal("every-index", "a search of _msearch names no index");
    return (
      firstOf(keys, (key) => valueRefusal(pair.header[key], undefined, named(remote))) ??
      queryRefusal(pair.search, FREE)
    );
  });
}
