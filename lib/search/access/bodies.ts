import { isObject } from "../../core/json/values.ts";
import { aliasRefusal, firstOf, type Grant, type Refusal, refusal, shown, valueRefusal } from "./names.ts";
import { queryRefusal, strictJson } from "./query.ts";

export interface BodyCall {
  /** The body as text; empty if there is none. */
  text: string;
  grant: Grant;
  /** Whether the path names an index, which holds where the body names none. */
  hasIndex: boolean;
}

/** Returns why a body is refused. */
export type BodyReader = (call: BodyCall) => Refusal | undefined;

const UNREADABLE = refusal("body", "it is not plain JSON without duplicate keys, which is all that the gateway reads");

const WRITE = { wildcards: false };
const READ = { wildcards: true };

/** Reads a JSON object and checks it. An empty body is none. */
const object =
  (check: (body: Readonly<Record<string, unknown>>, call: BodyCall) => Refusal | undefined): BodyReader =>
  (call) => {
    if (call.text.trim() === "") return undefined;
    const parsed = strictJson(call.text);
    return parsed && isObject(parsed.value) ? check(parsed.value, call) : UNREADABLE;
  };

/** A query, wherever it is, and lists of documents by `_index` and `_id`. */
export const query: BodyReader = object((body, { grant }) => queryRefusal(body, grant));

/** A search without an index in its path: only a point in time has indexes of its own. */
export const pointInTimeSearch: BodyReader = (call) => {
  const parsed = strictJson(call.text);
  const hasPit = parsed && isObject(parsed.value) && isObject(parsed.value.pit);
  return hasPit ? query(call) : refusal("every-index", "a search without an index searches every index");
};

/** `_rank_eval`, whose templates hide queries. */
export const rankEvaluation: BodyReader = object((body, { grant }) =>
  "templates" in body ? refusal("template", "a template hides a query") : queryRefusal(body, grant),
);

/** `_reindex`. A script can change the index of a document. */
export const reindex: BodyReader = object((body, { grant }) => {
  const { source, dest, script } = body;
  if (!isObject(source) || !isObject(dest)) return UNREADABLE;
  if ("remote" in source) return refusal("remote", "it reads from another cluster");
  if (script !== undefined) return refusal("script", "a script of _reindex can change the index of a document");
  if (grant !== undefined && dest.pipeline !== undefined) return PIPELINE;
  return valueRefusal(source.index, grant, READ) ?? valueRefusal(dest.index, grant, WRITE) ?? queryRefusal(body, grant);
});

const PIPELINE = refusal("pipeline", "a pipeline can change the index of a document");

const ACTIONS = new Set(["index", "create", "update", "delete"]);

/** An action as clients write it, which needs no parser. */
const PLAIN_ACTION = /^\{"(index|create|update|delete)":\{"_index":"([^"\\]*)"(?:,"_id":"[^"\\]*")?\}\}$/;

/** `_bulk`: reads the lines of the actions and skips those of the documents. */
export const bulk: BodyReader = ({ text, grant, hasIndex }) => {
  let allowed: string | undefined;
  for (let start = 0; start < text.length; ) {
    const line = lineAt(text, start);
    start += line.length + 1;
    // The cluster skips an empty line between actions.
    if (line.trim() === "") continue;
    const [, plain, name] = PLAIN_ACTION.exec(line) ?? [];
    if (plain !== undefined && name !== undefined) {
      const found = name === allowed ? undefined : valueRefusal(name, grant, WRITE);
      if (found) return found;
      allowed = name;
      if (plain !== "delete") start += lineAt(text, start).length + 1;
      continue;
    }
    const parsed = strictJson(line);
    const [[action, target] = [], ...others] = parsed && isObject(parsed.value) ? Object.entries(parsed.value) : [];
    if (action === undefined || others.length > 0 || !ACTIONS.has(action) || !isObject(target)) return UNREADABLE;
    const { _index: index, pipeline } = target;
    const found = index === undefined && hasIndex ? queryRefusal(target, grant) : valueRefusal(index, grant, WRITE);
    if (found) return found;
    if (grant !== undefined && pipeline !== undefined) return PIPELINE;
    if (action !== "delete") start += lineAt(text, start).length + 1;
  }
  return undefined;
};

function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, end === -1 ? text.length : end);
}

/** `_msearch`: pairs of lines, a header with the indexes and a search. */
export const multiSearch: BodyReader = ({ text, grant, hasIndex }) => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  // The cluster skips one line end at the beginning.
  if (lines[0] === "") lines.shift();
  for (let at = 0; at < lines.length; at += 2) {
    const header = (lines[at] ?? "").trim();
    const fields = header === "" ? { value: {} } : strictJson(header);
    const search = strictJson(lines[at + 1] ?? "");
    if (!fields || !isObject(fields.value) || !search || !isObject(search.value)) return UNREADABLE;
    const found = headerRefusal(fields.value, grant, hasIndex) ?? queryRefusal(search.value, grant);
    if (found) return found;
  }
  return undefined;
};

function headerRefusal(
  header: Readonly<Record<string, unknown>>,
  grant: Grant,
  hasIndex: boolean,
): Refusal | undefined {
  const named = ["index", "indices"].filter((key) => key in header);
  if (named.length === 0 && !hasIndex) return refusal("every-index", "a search of _msearch names no index");
  const wide = hiddenRefusal([header.expand_wildcards ?? header.expandWildcards ?? []].flat().join(","));
  return wide ?? firstOf(named, (key) => valueRefusal(header[key], grant, READ));
}

const STATES = new Set(["", "open", "closed", "none"]);

/** Returns why `expand_wildcards` is refused: hidden indexes are not meant to be found by wildcards. */
export function hiddenRefusal(states: string): Refusal | undefined {
  const other = states.split(",").find((state) => !STATES.has(state));
  return other === undefined ? undefined : refusal("hidden", `expand_wildcards=${shown(other)} finds hidden indexes`);
}

/** `_aliases`, of keys without patterns. */
export const aliasActions: BodyReader = object(({ actions }) =>
  Array.isArray(actions) ? firstOf(actions, actionRefusal) : UNREADABLE,
);

function actionRefusal(action: unknown): Refusal | undefined {
  const [[kind, target] = [], ...others] = isObject(action) ? Object.entries(action) : [];
  if (kind === undefined || others.length > 0 || !isObject(target)) return UNREADABLE;
  if (kind === "remove_index") return refusal("alias", "remove_index deletes an index; use DELETE /<index>");
  if (kind !== "add" && kind !== "remove") return UNREADABLE;
  const indexes = ["index", "indices"].filter((key) => key in target);
  const aliases = ["alias", "aliases"].filter((key) => key in target).flatMap((key) => [target[key]].flat());
  if (indexes.length === 0) return refusal("every-index", "an action names no index");
  return (
    firstOf(indexes, (key) => valueRefusal(target[key], undefined, WRITE)) ??
    firstOf(aliases, (name) => (typeof name === "string" ? aliasRefusal(name) : UNREADABLE)) ??
    queryRefusal(target.filter, undefined)
  );
}

/** The body that creates an index. */
export const newIndex: BodyReader = object((body, { grant }) => {
  const { settings: given, aliases = {}, ...others } = body;
  const names = isObject(aliases) ? Object.keys(aliases) : undefined;
  if (names === undefined) return UNREADABLE;
  if (grant !== undefined && names.length > 0) return refusal("alias", "its key may not change aliases");
  const unknown = Object.keys(others).find((key) => key !== "mappings");
  if (unknown !== undefined) return refusal("body", `${shown(unknown)} is not a part of an index`);
  return firstOf(names, aliasRefusal) ?? queryRefusal(aliases, grant) ?? settingsRefusal(given);
});

/** The body that changes the settings of an index. */
export const settings: BodyReader = object((body) => settingsRefusal(body));

/** Settings of one index that concern neither its nodes nor what happens to other indexes. */
const SETTING =
  /^(number_of_(shards|replicas|routing_shards)|auto_expand_replicas|refresh_interval|max_\w+|codec|gc_deletes|blocks\.\w+|requests\.cache\.enable|knn|(analysis|analyze|similarity|mapping|mapper|query|queries|sort|highlight|knn|merge|translog|search\.(idle|slowlog|concurrent_segment_search)|search|indexing\.slowlog)\..+)$/;

/** Settings that the expression above would accept, but that make an index run a pipeline. */
const PIPELINES = /(^|\.)(default|final)_pipeline$|^search\.default_pipeline$/;

function settingsRefusal(given: unknown): Refusal | undefined {
  return firstOf(isObject(given) ? dotted(given) : [], (path) => {
    const name = path.replace(/^settings\./, "").replace(/^index\./, "");
    if (PIPELINES.test(name)) return refusal("setting", `${shown(name)} makes the index run a pipeline`);
    return SETTING.test(name) ? undefined : refusal("setting", `${shown(name)} is not a setting that it may change`);
  });
}

/** Returns the dotted paths of the values in nested objects. */
function dotted(value: Readonly<Record<string, unknown>>, prefix = ""): string[] {
  return Object.entries(value).flatMap(([key, member]) =>
    isObject(member) ? dotted(member, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}
