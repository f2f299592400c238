import * as v from "valibot";
import type { KeyRules } from "../../platform/http/access.ts";
import { isObject } from "../../platform/json/values.ts";
import { heldIndex } from "../index-meta/index-meta.ts";
import { nameOfRun, RUN_INDEX_BODY, RUN_INDEXES, runOfIndex, runOfTarget } from "../index-meta/run-names.ts";
import { Actions, Documents, LateSettings, Runs, Search } from "./administration-bodies.ts";
import type { BodyCall, BodyReader } from "./bodies.ts";
import * as read from "./bodies.ts";
import { aliasRefusal, firstOf, type Grant, namesRefusal, type Refusal, refusal, shown } from "./names.ts";
import { type NativeRequest, typeRefusal } from "./native.ts";
import { queryRefusal, strictJson } from "./query.ts";
import { rightsOf } from "./rights.ts";

/**
 * The calls of the cluster's own API that `relevance index` and `relevance backfill` make, and no others: the list for
 * keys with the endpoint `administration`. Bodies are those that the commands send, so none holds a script or a query of
 * a caller. A key with patterns may use indexes within them, and the runs that work on an index or alias within them:
 * the id of a run begins with its name.
 */
export function administrationRefusal(key: KeyRules, call: NativeRequest): Refusal | undefined {
  const { method, segments } = call;
  const row = ROWS.find((one) => one.methods.includes(method) && fits(one.path, segments));
  return row
    ? rowRefusal(row, key, call)
    : refusal("endpoint", `${method} ${shown(`/${segments.join("/")}`)} is not among the calls of administration`);
}

interface Row {
  methods: readonly string[];
  path: readonly string[];
  parameters: readonly string[];
  /** Whether the index expression may hold wildcards. */
  wildcards: boolean;
  /** Returns why the body is refused; without it there is none. */
  body?: BodyReader;
}

const row = (
  methods: string,
  target: string,
  { wildcards = false, body }: Pick<Partial<Row>, "wildcards" | "body"> = {},
) => {
  const [path = "", parameters = ""] = target.split("?");
  return {
    methods: methods.split(" "),
    path: path === "/" ? [] : path.slice(1).split("/"),
    parameters: parameters === "" ? [] : parameters.split("&"),
    wildcards,
    ...(body && { body }),
  } satisfies Row;
};

/** Reads a JSON object of one form. */
const form =
  <Schema extends v.GenericSchema>(
    schema: Schema,
    check: (body: v.InferOutput<Schema>, call: BodyCall) => Refusal | undefined = () => undefined,
  ): BodyReader =>
  (call) => {
    const parsed = v.safeParse(schema, strictJson(call.text)?.value);
    return parsed.success ? check(parsed.output, call) : UNKNOWN_BODY;
  };

const UNKNOWN_BODY = refusal("body", "no command of administration sends this body");

const lateSettings = form(LateSettings, (settings, { grant }) => {
  const pipeline = settings["index.default_pipeline"] ?? settings["index.final_pipeline"];
  return grant === undefined || pipeline === undefined || pipeline === null
    ? undefined
    : refusal("pipeline", "a pipeline can change the index of a document; a key without indexes may set one");
});

/** Settings of an existing index that a rebuild gives the new one, beside those that every key may set. */
const COPIED =
  /^(settings\.)?index\.(hidden|priority|routing_partition_size|routing\.allocation\..+|plugins\.index_state_management\..+)$/;

/** The same for a key without patterns: a pipeline can change the index of a document. */
const COPIED_PIPELINE = /^(settings\.)?index\.search\.default_pipeline$/;

/** A new index: that of a run, which has one form, or one with settings, mappings and aliases. */
const newIndex: BodyReader = (call) => {
  const body = strictJson(call.text)?.value;
  if (!isObject(body)) return UNKNOWN_BODY;
  if (JSON.stringify(body) === JSON.stringify(RUN_INDEX_BODY)) return undefined;
  const { aliases = {}, settings, ...others } = body;
  if (!isObject(aliases)) return UNKNOWN_BODY;
  const { grant, rights } = call;
  const kept =
    isObject(settings) && !Array.isArray(settings)
      ? Object.fromEntries(
          Object.entries(settings).filter(
            ([name]) => !COPIED.test(name) && !(grant === undefined && COPIED_PIPELINE.test(name)),
          ),
        )
      : settings;
  return (
    firstOf(Object.keys(aliases), (name) => aliasRefusal(name) ?? namesRefusal(name, grant, PLAIN)) ??
    queryRefusal(aliases, grant, rights) ??
    read.newIndex({ ...call, text: JSON.stringify({ ...others, ...(kept !== undefined && { settings: kept }) }) })
  );
};

const PLAIN = { wildcards: false };

/**
 * Changes of aliases. A key with patterns may add an alias within them, and move any alias between its indexes: the
 * cluster executes the whole call only if a removed alias that must exist does.
 */
const aliases = form(Actions, ({ actions }, { grant, rights }) => {
  const moved = new Set(
    actions.flatMap((one) => ("remove" in one && one.remove.must_exist === true ? [one.remove.alias] : [])),
  );
  return firstOf(actions, (one) => {
    if ("remove_index" in one) return namesRefusal(one.remove_index.index, grant, PLAIN);
    const { index, alias } = "add" in one ? one.add : one.remove;
    const named = namesRefusal(index, grant, PLAIN) ?? aliasRefusal(alias);
    if (named || "remove" in one) return named;
    return queryRefusal(one.add.filter, grant, rights) ?? (moved.has(alias) ? undefined : addedRefusal(alias, grant));
  });
});

function addedRefusal(alias: string, grant: Grant): Refusal | undefined {
  const run = runOfTarget(alias);
  if (run !== undefined) return runRefusal(run, grant);
  return namesRefusal(heldIndex(alias) ?? alias, grant, PLAIN);
}

const ROWS: readonly Row[] = [
  row("GET", "/"),
  row("GET", "/{index}?flat_settings", { wildcards: true }),
  row("PUT", "/{index|run}", { body: newIndex }),
  row("DELETE", "/{index|run}"),
  row("GET", "/{index}/_mapping", { wildcards: true }),
  row("GET", "/{index}/_stats?level", { wildcards: true }),
  row("GET", "/{index}/_stats/docs,store", { wildcards: true }),
  row("GET", "/{index}/_settings?flat_settings"),
  row("PUT", "/{index}/_settings", { body: lateSettings }),
  row("POST", "/{index|run}/_refresh"),
  row("POST", "/{index|run}/_search?preference&allow_partial_search_results&request_cache&search_pipeline=_none", {
    body: form(Search),
  }),
  row("POST", "/{index}/_mget?_source&realtime&preference", { body: form(Documents) }),
  row("POST", "/{index|run|target}/_bulk?filter_path&require_alias&pipeline=_none", { body: read.bulk }),
  row("PUT", "/{index}/_block/write"),
  row("GET", "/{index}/_alias"),
  row("GET", "/_alias/{hold}"),
  row("POST", "/_aliases", { body: aliases }),
  row("GET DELETE", "/{run}/_doc/{id}"),
  row("PUT", "/{run}/_doc/{id}?op_type&if_seq_no&if_primary_term", { body: () => undefined }),
  row("POST", "/{runs}/_refresh?expand_wildcards=all"),
  row("POST", "/{runs}/_search?expand_wildcards=all", { body: form(Runs) }),
];

function fits(path: readonly string[], segments: readonly string[]): boolean {
  if (path.length !== segments.length) return false;
  return path.every((part, at) => {
    const segment = segments[at] ?? "";
    if (part === "{runs}") return segment === RUN_INDEXES;
    if (part === "{id}" || part === "{hold}") return segment !== "";
    if (!part.startsWith("{")) return part === segment;
    return (!segment.startsWith("_") || segment === "_all") && segment !== RUN_INDEXES;
  });
}

function rowRefusal(
  { path, parameters, wildcards, body: reader }: Row,
  key: KeyRules,
  call: NativeRequest,
): Refusal | undefined {
  const { segments, parameters: given, body } = call;
  const { indexes: grant } = key;
  const named =
    firstOf(path.entries(), ([at, part]) => placeRefusal(part, segments[at] ?? "", grant, wildcards)) ??
    firstOf(given, ([name, value]) =>
      parameters.includes(name) || parameters.includes(`${name}=${value}`)
        ? undefined
        : refusal("parameter", `no command of administration sends the parameter ${shown(name)} so`),
    );
  if (named) return named;
  if (!reader) return body.length > 0 ? UNKNOWN_BODY : undefined;
  return (
    typeRefusal(call) ??
    reader({
      text: body.toString("utf8"),
      grant,
      rights: { ...rightsOf(key), limits: key.limits ?? {} },
      hasIndex: true,
    })
  );
}

function placeRefusal(part: string, segment: string, grant: Grant, wildcards: boolean): Refusal | undefined {
  if (part === "{runs}") {
    return grant === undefined ? undefined : refusal("index", "it may look at one run at a time, with --run");
  }
  if (part === "{hold}") {
    const held = heldIndex(segment);
    return held === undefined ? refusal("name", `${shown(segment)} is no hold`) : namesRefusal(held, grant, PLAIN);
  }
  if (!part.startsWith("{") || part === "{id}") return undefined;
  const run = part.includes("run") ? runOfIndex(segment) : undefined;
  const target = part.includes("target") ? runOfTarget(segment) : undefined;
  if (run !== undefined || target !== undefined) return runRefusal(run ?? target ?? "", grant);
  return part === "{run}"
    ? refusal("endpoint", `${shown(segment)} is not the index of a run`)
    : namesRefusal(segment, grant, { wildcards });
}

/** Returns why a key may not use a run: the index that it works on is outside its patterns. */
function runRefusal(run: string, grant: Grant): Refusal | undefined {
  const wrong = run.includes(",") ? refusal("name", `${shown(run)} is not a run`) : namesRefusal(run, undefined, PLAIN);
  if (wrong || grant === undefined) return wrong;
  const name = nameOfRun(run);
  return name === undefined
    ? refusal("index", `the run ${shown(run)} names no index`)
    : namesRefusal(name, grant, PLAIN);
}
