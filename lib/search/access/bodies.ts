import { BULK_OPERATIONS } from "../../platform/contract/search.ts";
import { isObject } from "../../platform/json/values.ts";
import { analyzeRefusal } from "./analysis.ts";
import { limitRefusal } from "./limits.ts";
import { aliasRefusal, firstOf, type Grant, type Refusal, refusal, shown, valueRefusal } from "./names.ts";
import { queryRefusal, strictJson } from "./query.ts";
import type { Rights } from "./rights.ts";
import { scriptRefusal } from "./scripts.ts";
import { mappingsRefusal, settingsRefusal } from "./settings.ts";

export interface BodyCall {
  /** The body as text; empty if there is none. */
  text: string;
  rights: Rights;
  /** Whether the path names an index, which is the default for parts of the body that name none. */
  hasIndex: boolean;
}

/** Returns why a body is refused; undefined if it is allowed. */
export type BodyReader = (call: BodyCall) => Refusal | undefined;

export const UNREADABLE = refusal(
  "body",
  "it is not plain JSON without duplicate keys, which is all that the gateway reads",
);

const WRITE = { wildcards: false };
const READ = { wildcards: true };

/** Returns a reader that parses a JSON object and applies a check. An empty body is allowed. */
const object =
  (check: (body: Readonly<Record<string, unknown>>, call: BodyCall) => Refusal | undefined): BodyReader =>
  (call) => {
    if (call.text.trim() === "") return undefined;
    const parsed = strictJson(call.text);
    return parsed && isObject(parsed.value) ? check(parsed.value, call) : UNREADABLE;
  };

/** Checks a query anywhere in the body, and lists of documents by `_index` and `_id`. */
export const query: BodyReader = object((body, { rights }) => queryRefusal(body, rights));

/**
 * Checks the query that selects a task's documents. Here `size` is the number of documents, and a script may change
 * them.
 */
export const byQuery: BodyReader = object(({ size: _, ...body }, { rights }) => queryRefusal(body, rights));

/** Checks an update of a document, which may be a script. The document itself may contain anything. */
export const update: BodyReader = ({ text, rights }) => {
  if (rights.scripts || !(MAY_HOLD_SCRIPT.test(text) || text.includes("\0"))) return undefined;
  const parsed = strictJson(text);
  if (!parsed || !isObject(parsed.value)) return UNREADABLE;
  return scriptRefusal({ script: parsed.value.script }, rights);
};

/**
 * The name `script`, or an escape that may hide it. A zero byte may hide it too, because the cluster detects UTF-16 and
 * UTF-32.
 */
const MAY_HOLD_SCRIPT = /"script"|\\u/;

/** Checks a search without an index in its path: only a point in time is allowed, which has its own indexes. */
export const pointInTimeSearch: BodyReader = (call) => {
  const parsed = strictJson(call.text);
  const hasPit = parsed && isObject(parsed.value) && isObject(parsed.value.pit);
  return hasPit ? query(call) : refusal("every-index", "a search without an index searches every index");
};

/** Checks `_rank_eval`, whose templates can contain queries. */
export const rankEvaluation: BodyReader = object((body, { rights }) => {
  if ("templates" in body) return refusal("template", "a template hides a query");
  const { requests } = body;
  const count = Array.isArray(requests) ? requests.length : 0;
  return limitRefusal("searches", "the number of searches", count, rights.limits) ?? queryRefusal(body, rights);
});

/** Checks `_reindex`. A script can change the index of a document. */
export const reindex: BodyReader = object(({ size: _, ...body }, { rights }) => {
  const { grant } = rights;
  const { source, dest, script } = body;
  if (!isObject(source) || !isObject(dest)) return UNREADABLE;
  if ("remote" in source) return refusal("remote", "it reads from another cluster");
  if (script !== undefined) return refusal("script", "a script of _reindex can change the index of a document");
  if (grant !== undefined && dest.pipeline !== undefined) return PIPELINE;
  return (
    valueRefusal(source.index, grant, READ) ?? valueRefusal(dest.index, grant, WRITE) ?? queryRefusal(body, rights)
  );
});

const PIPELINE = refusal("pipeline", "a pipeline can change the index of a document");

const ACTIONS = new Set<string>(BULK_OPERATIONS);

/** An action in the usual spelling, which needs no parser. */
const PLAIN_ACTION = /^\{"(index|create|update|delete)":\{"_index":"([^"\\]*)"(?:,"_id":"[^"\\]*")?\}\}$/;

/** Members of an action; the cluster rejects others. */
const ACTION_MEMBERS = new Set(
  `_index _id routing op_type version version_type retry_on_conflict pipeline _source if_seq_no if_primary_term
  require_alias`.split(/\s+/),
);

/** Checks `_bulk`: all action lines, and documents that may be a script. */
export const bulk: BodyReader = ({ text, rights, hasIndex }) => {
  const { grant } = rights;
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
        unknownRefusal(target, ACTION_MEMBERS, "an action of _bulk") ??
        (index === undefined && hasIndex ? queryRefusal(target, rights) : valueRefusal(index, grant, WRITE));
      if (found) return found;
      if (grant !== undefined && pipeline !== undefined) return PIPELINE;
      kind = action;
    }
    if (kind === "delete") continue;
    const document = lineAt(text, start);
    const script = kind === "update" ? update({ text: document, rights, hasIndex }) : undefined;
    if (script) return script;
    start += document.length + 1;
  }
  return undefined;
};

/** Checks `_bulk` of a key that may use every index. Also checks each document as if it were an update. */
export const anyBulk: BodyReader = (call) => firstOf(call.text.split("\n"), (text) => update({ ...call, text }));

function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, end === -1 ? text.length : end);
}

/** Returns why settings anywhere in a body are refused: settings of an index, a template or a copy. */
function anySettings(value: unknown, rights: Rights): Refusal | undefined {
  if (Array.isArray(value)) return firstOf(value, (one) => anySettings(one, rights));
  if (!isObject(value)) return undefined;
  return firstOf(Object.entries(value), ([key, member]) =>
    key === "settings" ? settingsRefusal(member, rights) : anySettings(member, rights),
  );
}

/** Checks JSON, or newline-delimited JSON, of a call that the gateway does not know. */
export function anyJson(text: string, rights: Rights): Refusal | undefined {
  const check = (parsed: { value: unknown }) =>
    queryRefusal(parsed.value, rights) ??
    scriptRefusal(parsed.value, rights) ??
    (rights.limited ? anySettings(parsed.value, rights) : undefined);
  const whole = strictJson(text);
  if (whole) return check(whole);
  return firstOf(text.split("\n"), (line) => {
    const parsed = line.trim() === "" ? { value: null } : strictJson(line);
    return parsed ? check(parsed) : UNREADABLE;
  });
}

/** Checks `_msearch`: pairs of lines, a header with the indexes and a search. */
export const multiSearch: BodyReader = ({ text, rights, hasIndex }) => {
  let searches = 0;
  return firstOf(searchPairs(text), (pair) => {
    if (!pair) return UNREADABLE;
    searches += 1;
    return (
      limitRefusal("searches", "the number of searches", searches, rights.limits) ??
      headerRefusal(pair.header, rights.grant, hasIndex) ??
      queryRefusal(pair.search, rights)
    );
  });
};

type JsonObject = Readonly<Record<string, unknown>>;

/** Yields the headers and searches of `_msearch`; undefined for a pair that cannot be read. */
export function* searchPairs(text: string): Generator<{ header: JsonObject; search: JsonObject } | undefined> {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  // The cluster skips one line end at the beginning.
  if (lines[0] === "") lines.shift();
  for (let at = 0; at < lines.length; at += 2) {
    const first = (lines[at] ?? "").trim();
    const header = first === "" ? { value: {} } : strictJson(first);
    const search = strictJson(lines[at + 1] ?? "");
    if (header && isObject(header.value) && search && isObject(search.value)) {
      yield { header: header.value, search: search.value };
    } else yield undefined;
  }
}

/** Members of a header, which may also be in camel case; the cluster rejects others. */
const HEADER_MEMBERS = new Set(
  `index indices search_type ccs_minimize_roundtrips request_cache preference routing allow_partial_search_results
  expand_wildcards ignore_unavailable allow_no_indices ignore_throttled phase_took`.split(/\s+/),
);

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns why an object with unlisted members is refused. */
function unknownRefusal(object: object, members: ReadonlySet<string>, what: string): Refusal | undefined {
  const unknown = Object.keys(object).find((key) => !members.has(key));
  return unknown === undefined ? undefined : refusal("body", `${shown(unknown)} is not a part of ${what}`);
}

/** Checks a header. Refuses a member in two spellings, because the cluster may use the one that was not checked. */
function headerRefusal(header: JsonObject, grant: Grant, hasIndex: boolean): Refusal | undefined {
  const members = new Map(Object.entries(header).map(([key, value]) => [snakeCase(key), value]));
  if (members.size < Object.keys(header).length) return UNREADABLE;
  const named = ["index", "indices"].filter((key) => members.has(key));
  if (named.length === 0 && !hasIndex) return refusal("every-index", "a search of _msearch names no index");
  if (members.has("cancel_after_time_interval")) {
    return refusal("parameter", "cancel_after_time_interval belongs in the query string, as it holds for every search");
  }
  return (
    unknownRefusal(Object.fromEntries(members), HEADER_MEMBERS, "a header of _msearch") ??
    hiddenRefusal([members.get("expand_wildcards") ?? []].flat().join(",")) ??
    firstOf(named, (key) => valueRefusal(members.get(key), grant, READ))
  );
}

const STATES = new Set(["", "open", "closed", "none"]);

/** Returns why `expand_wildcards` is refused: wildcards must not match hidden indexes. */
export function hiddenRefusal(states: string): Refusal | undefined {
  const other = states.split(",").find((state) => !STATES.has(state));
  return other === undefined ? undefined : refusal("hidden", `expand_wildcards=${shown(other)} finds hidden indexes`);
}

/** Checks `_aliases` of keys without index patterns. */
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
    queryRefusal(target.filter, rights)
  );
}

/** Checks the body that creates an index. */
export const newIndex: BodyReader = object((body, { rights }) => {
  const { settings: given, aliases = {}, ...others } = body;
  const names = isObject(aliases) ? Object.keys(aliases) : undefined;
  if (names === undefined) return UNREADABLE;
  if (rights.grant !== undefined && names.length > 0) return refusal("alias", "its key may not change aliases");
  const unknown = Object.keys(others).find((key) => key !== "mappings");
  if (unknown !== undefined) return refusal("body", `${shown(unknown)} is not a part of an index`);
  return (
    firstOf(names, aliasRefusal) ??
    queryRefusal(aliases, rights) ??
    scriptRefusal(others, rights) ??
    settingsRefusal(given, rights) ??
    mappingsRefusal(body.mappings)
  );
});

/** Checks the body that adds fields to an index. */
export const mapping: BodyReader = object((body, { rights }) => scriptRefusal(body, rights) ?? mappingsRefusal(body));

/** Checks the body that changes the settings of an index. */
export const settings: BodyReader = object((body, { rights }) => settingsRefusal(body, rights));

/** Checks `_analyze`, whose analyzer components are names or inline definitions. */
export const analyze: BodyReader = object((body, { rights }) => analyzeRefusal(body, rights.scripts));

/** A scroll or PIT id as the cluster makes it. Words such as `_all` are shorter. */
const OPEN_ID = /^[\w+/=-]{16,}$/;

/** Checks the body that closes scrolls or PITs. It must list each by its id. */
export const openIds: BodyReader = ({ text }) => {
  const parsed = strictJson(text);
  const [ids, ...others] = parsed && isObject(parsed.value) ? Object.values(parsed.value) : [];
  const named = [ids].flat();
  return others.length === 0 && named.length > 0 && named.every((id) => typeof id === "string" && OPEN_ID.test(id))
    ? undefined
    : refusal("open-search", "scrolls and points in time are ended by their ids");
};
