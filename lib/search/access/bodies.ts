import { isObject } from "../../core/json/values.ts";
import { limitRefusal, settingLimit } from "./limits.ts";
import { aliasRefusal, firstOf, type Grant, type Refusal, refusal, shown, valueRefusal } from "./names.ts";
import { queryRefusal, strictJson } from "./query.ts";
import type { Rights } from "./rights.ts";
import { isScriptSetting, scriptRefusal } from "./scripts.ts";

export interface BodyCall {
  /** The body as text; empty if there is none. */
  text: string;
  grant: Grant;
  rights: Rights;
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
export const query: BodyReader = object((body, { grant, rights }) => queryRefusal(body, grant, rights));

/** A query of the documents that a task changes, where `size` is the number of documents. Its script changes them. */
export const byQuery: BodyReader = object(({ size: _, ...body }, { grant, rights }) =>
  queryRefusal(body, grant, rights),
);

/** A mapping, or token filters. */
export const definition: BodyReader = object((body, { rights }) => scriptRefusal(body, rights));

/** An update of a document, which may be a script. What the document holds does not matter. */
export const update: BodyReader = ({ text, rights }) => {
  if (rights.scripts || !(MAY_HOLD_SCRIPT.test(text) || text.includes("\0"))) return undefined;
  const parsed = strictJson(text);
  if (!parsed || !isObject(parsed.value)) return UNREADABLE;
  return scriptRefusal({ script: parsed.value.script }, rights);
};

/** The name `script`, or an escape that may hide it. A zero byte hides it, too: the cluster detects UTF-16 and UTF-32. */
const MAY_HOLD_SCRIPT = /"script"|\\u/;

/** A search without an index in its path: only a point in time has indexes of its own. */
export const pointInTimeSearch: BodyReader = (call) => {
  const parsed = strictJson(call.text);
  const hasPit = parsed && isObject(parsed.value) && isObject(parsed.value.pit);
  return hasPit ? query(call) : refusal("every-index", "a search without an index searches every index");
};

/** `_rank_eval`, whose templates hide queries. */
export const rankEvaluation: BodyReader = object((body, { grant, rights }) => {
  if ("templates" in body) return refusal("template", "a template hides a query");
  const { requests } = body;
  const count = Array.isArray(requests) ? requests.length : 0;
  return limitRefusal("searches", "the number of searches", count, rights.limits) ?? queryRefusal(body, grant, rights);
});

/** `_reindex`. A script can change the index of a document. */
export const reindex: BodyReader = object(({ size: _, ...body }, { grant, rights }) => {
  const { source, dest, script } = body;
  if (!isObject(source) || !isObject(dest)) return UNREADABLE;
  if ("remote" in source) return refusal("remote", "it reads from another cluster");
  if (script !== undefined) return refusal("script", "a script of _reindex can change the index of a document");
  if (grant !== undefined && dest.pipeline !== undefined) return PIPELINE;
  return (
    valueRefusal(source.index, grant, READ) ??
    valueRefusal(dest.index, grant, WRITE) ??
    queryRefusal(body, grant, rights)
  );
});

const PIPELINE = refusal("pipeline", "a pipeline can change the index of a document");

const ACTIONS = new Set(["index", "create", "update", "delete"]);

/** An action as clients write it, which needs no parser. */
const PLAIN_ACTION = /^\{"(index|create|update|delete)":\{"_index":"([^"\\]*)"(?:,"_id":"[^"\\]*")?\}\}$/;

/** `_bulk`: reads the lines of the actions, and of documents those that may be a script. */
export const bulk: BodyReader = ({ text, grant, rights, hasIndex }) => {
  let allowed: string | undefined;
  for (let start = 0; start < text.length; ) {
    const line = lineAt(text, start);
    start += line.length + 1;
    // The cluster skips an empty line between actions.
    if (line.trim() === "") continue;
    const [, plain, name] = PLAIN_ACTION.exec(line) ?? [];
    let kind = plain;
    if (name !== undefined) {
      const found = name === allowed ? undefined : valueRefusal(name, grant, WRITE);
      if (found) return found;
      allowed = name;
    } else {
      const parsed = strictJson(line);
      const [[action, target] = [], ...others] = parsed && isObject(parsed.value) ? Object.entries(parsed.value) : [];
      if (action === undefined || others.length > 0 || !ACTIONS.has(action) || !isObject(target)) return UNREADABLE;
      const { _index: index, pipeline } = target;
      const found =
        index === undefined && hasIndex ? queryRefusal(target, grant, rights) : valueRefusal(index, grant, WRITE);
      if (found) return found;
      if (grant !== undefined && pipeline !== undefined) return PIPELINE;
      kind = action;
    }
    if (kind === "delete") continue;
    const document = lineAt(text, start);
    const script = kind === "update" ? update({ text: document, grant, rights, hasIndex }) : undefined;
    if (script) return script;
    start += document.length + 1;
  }
  return undefined;
};

/** `_bulk` of a key that may use every index. Reads the documents, too, as if each were an update. */
export const anyBulk: BodyReader = (call) => firstOf(call.text.split("\n"), (text) => update({ ...call, text }));

function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, end === -1 ? text.length : end);
}

/** JSON, or JSON on each line, of a call that the gateway does not know. `grant` is null if it may name every index. */
export function anyJson(text: string, grant: Grant | null, rights: Rights): Refusal | undefined {
  const check = (parsed: { value: unknown }) =>
    queryRefusal(parsed.value, grant, rights) ?? scriptRefusal(parsed.value, rights);
  const whole = strictJson(text);
  if (whole) return check(whole);
  return firstOf(text.split("\n"), (line) => {
    const parsed = line.trim() === "" ? { value: null } : strictJson(line);
    return parsed ? check(parsed) : UNREADABLE;
  });
}

/** `_msearch`: pairs of lines, a header with the indexes and a search. */
export const multiSearch: BodyReader = ({ text, grant, rights, hasIndex }) => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  // The cluster skips one line end at the beginning.
  if (lines[0] === "") lines.shift();
  const many = limitRefusal("searches", "the number of searches", Math.ceil(lines.length / 2), rights.limits);
  if (many) return many;
  for (let at = 0; at < lines.length; at += 2) {
    const header = (lines[at] ?? "").trim();
    const fields = header === "" ? { value: {} } : strictJson(header);
    const search = strictJson(lines[at + 1] ?? "");
    if (!fields || !isObject(fields.value) || !search || !isObject(search.value)) return UNREADABLE;
    const found = headerRefusal(fields.value, grant, hasIndex) ?? queryRefusal(search.value, grant, rights);
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
  if ("cancel_after_time_interval" in header || "cancelAfterTimeInterval" in header) {
    return refusal("parameter", "cancel_after_time_interval belongs in the query string, as it holds for every search");
  }
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
export const aliasActions: BodyReader = object(({ actions }, { rights }) =>
  Array.isArray(actions) ? firstOf(actions, (action) => actionRefusal(action, rights)) : UNREADABLE,
);

function actionRefusal(action: unknown, rights: Rights): Refusal | undefined {
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
    queryRefusal(target.filter, undefined, rights)
  );
}

/** The body that creates an index. */
export const newIndex: BodyReader = object((body, { grant, rights }) => {
  const { settings: given, aliases = {}, ...others } = body;
  const names = isObject(aliases) ? Object.keys(aliases) : undefined;
  if (names === undefined) return UNREADABLE;
  if (grant !== undefined && names.length > 0) return refusal("alias", "its key may not change aliases");
  const unknown = Object.keys(others).find((key) => key !== "mappings");
  if (unknown !== undefined) return refusal("body", `${shown(unknown)} is not a part of an index`);
  return (
    firstOf(names, aliasRefusal) ??
    queryRefusal(aliases, grant, rights) ??
    scriptRefusal(others, rights) ??
    settingsRefusal(given, rights)
  );
});

/** The body that changes the settings of an index. */
export const settings: BodyReader = object((body, { rights }) => settingsRefusal(body, rights));

/** Settings of one index that concern neither its nodes nor what happens to other indexes. */
const SETTING =
  /^(number_of_(shards|replicas|routing_shards)|auto_expand_replicas|refresh_interval|max_\w+|codec|gc_deletes|blocks\.\w+|requests\.cache\.enable|knn|(analysis|analyze|similarity|mapping|mapper|query|queries|sort|highlight|knn|merge|translog|search\.(idle|slowlog|concurrent_segment_search)|search|indexing\.slowlog)\..+)$/;

/** Settings that the expression above would accept, but that make an index run a pipeline. */
const PIPELINES = /(^|\.)(default|final)_pipeline$|^search\.default_pipeline$/;

function settingsRefusal(given: unknown, rights: Rights): Refusal | undefined {
  return firstOf(isObject(given) ? dotted(given) : [], ([path, value]) => {
    const name = path.replace(/^settings\./, "").replace(/^index\./, "");
    if (PIPELINES.test(name)) return refusal("setting", `${shown(name)} makes the index run a pipeline`);
    if (!SETTING.test(name)) return refusal("setting", `${shown(name)} is not a setting that it may change`);
    if (!rights.scripts && isScriptSetting(name)) return refusal("script", `${shown(name)} is a script`);
    return settingLimit(name, value, rights);
  });
}

/** Returns the dotted paths and the values in nested objects and lists. */
function dotted(value: object, prefix = ""): Array<[path: string, value: unknown]> {
  return Object.entries(value).flatMap(
    ([key, member]: [string, unknown]): Array<[string, unknown]> =>
      typeof member === "object" && member !== null
        ? dotted(member, `${prefix}${key}.`)
        : [[`${prefix}${key}`, member]],
  );
}
