import { computed, signal } from "@preact/signals";
import { HYBRID_DEFAULTS } from "@relevance/lib/platform/contract/search.ts";
import type { FusionSettings } from "@relevance/lib/search/fusion/fuse.ts";
import type { CandidatesAnswer } from "../../../clients/typescript/src/types.ts";
import type { AnySearchAnswer } from "../../evaluation/searches.ts";
import { type Candidates, candidatesIn, placesOf } from "../../whereabouts/subquery-places.ts";
import { type Answer, type CallError, callService } from "../api.ts";
import { announce, place } from "../state.ts";
import { customerVariant } from "./customers.ts";
import { entry, mapping, readMapping } from "./mapping.ts";
import { fused } from "./places.ts";
import type { HybridVariant, Variant } from "./variant.ts";
import {
  type ColumnsRequest,
  callOf,
  candidatesCall,
  isMeasured,
  keywordFields,
  SIZE,
  subqueriesOf,
  usualVariants,
} from "./variants.ts";

export interface Hit {
  id: string;
  score: number | null;
}

/** Content of a column. */
export interface Column {
  state: "empty" | "loading" | "done" | "error";
  hits: Hit[];
  total: string;
  /** Names of the rules that applied. */
  rules: string[];
  /** By name, what a facet of the search has, with counts. */
  facets: Record<string, { value: string; count: number }[]>;
  /** The native body, if the gateway filled a template. */
  native?: Record<string, unknown> | undefined;
  /** The experiment of hybrid_search.yaml whose variant the gateway gave to the user. */
  experiment?: { name: string; variant: string };
  degraded: { stage: string; target?: string; reason: string; effect: string }[];
  stages: Record<string, number>;
  milliseconds: number;
  error: string;
  /** The service's name for the error. */
  code: string;
  /** Whether the page computed the order itself after a weight was changed. */
  isComputed: boolean;
}

export const NOTHING: Column = {
  ...{ state: "empty", hits: [], total: "", rules: [], facets: {}, degraded: [], stages: {}, milliseconds: 0 },
  ...{ error: "", code: "", isComputed: false },
};

/** The columns of searches by what they asked for. */
const columns = signal<ReadonlyMap<string, Column>>(new Map());
/** The documents that searches have found. */
export const documents = signal<ReadonlyMap<string, Record<string, unknown>>>(new Map());
export const candidates = signal<{ key: string; value: Candidates | null; error: string }>({
  key: "",
  value: null,
  error: "",
});

/** Where each document stood in the subqueries; undefined if nobody knows. */
export const subqueryPlaces = computed(() => {
  const { value } = candidates.value;
  return value ? placesOf(value) : undefined;
});

/** The last search text. */
export const asked = signal<ColumnsRequest | null>(null);

export const subqueries = computed(() => {
  const { fields } = place.value;
  return subqueriesOf(entry.value, fields.length > 0 ? fields : mapping.value.fields);
});
export const variants = computed<Variant[]>(
  () => place.value.variants ?? usualVariants(subqueries.value, customerVariant(place.value.index)),
);
/** The variants that Measure and previews take. */
export const measured = computed(() => variants.value.filter(isMeasured));

/** The gateway's defaults for hybrid search. */
export const configured = computed<FusionSettings>(() => {
  const settings = entry.value?.settings;
  const fits = settings?.weights?.length === subqueries.value.length;
  return {
    weights: fits ? (settings?.weights ?? null) : null,
    normalization: settings?.normalization ?? HYBRID_DEFAULTS.normalization,
    combination: settings?.combination ?? HYBRID_DEFAULTS.combination,
  };
});

export const settingsOf = (variant: HybridVariant): FusionSettings => variant.settings ?? configured.value;

const keyOf = (variant: Variant, what: ColumnsRequest) => JSON.stringify(callOf(variant, what));

/** Returns what a variant's column shows: the gateway's answer, or what the page computes from the candidates. */
export function columnOf(variant: Variant): Column {
  const what = asked.value;
  if (!what) return NOTHING;
  const key = problemOf(variant) === undefined ? keyOf(variant, what) : "";
  const found = columns.value.get(key);
  if (found) return found;
  const problem = problemOf(variant);
  if (problem !== undefined) return { ...NOTHING, state: "error", error: problem };
  const { value } = candidates.value;
  if (variant.kind !== "hybrid" || !value) return NOTHING;
  const hits = fused(value, settingsOf(variant), SIZE);
  return { ...NOTHING, state: "done", hits, isComputed: true };
}

function problemOf(variant: Variant): string | undefined {
  if (variant.kind === "plain") {
    const fields = keywordFields(subqueries.value);
    const isNoneSearched = fields.length > 0 && fields.every((field) => variant.boosts[field] === 0);
    return isNoneSearched ? "Every field has the boost 0: give one field another, so that it is searched." : undefined;
  }
  if (variant.kind !== "own") return undefined;
  try {
    JSON.parse(variant.template);
    return undefined;
  } catch (error) {
    return `The template is not JSON: ${(error as Error).message}`;
  }
}

/** The error of all searches of the page, if they all have the same, so that it is said once. Otherwise empty. */
export const failure = computed(() => {
  const found = variants.value
    .map(columnOf)
    .map(({ state, error, code }) => ({ error: state === "error" ? error : "", code }));
  // Endpoints say in different words that an index is missing.
  const causes = new Set(found.map(({ error, code }) => (code === "index_not_found" ? code : error)));
  return causes.size === 1 ? (found.at(-1)?.error ?? "") : "";
});

const put = (key: string, column: Column) => {
  columns.value = new Map([...columns.value, [key, column]]);
};

/** Shows the place's results: searches with every variant, or with those that have not been searched with yet. */
export async function showPlace(): Promise<void> {
  const { query, index, user } = place.value;
  const shown = JSON.stringify(asked.value) === JSON.stringify({ index, query, user, subqueries: subqueries.value });
  await (shown ? Promise.all(variants.value.map(searchWith)) : search());
}

/** Searches with every variant, and asks for the candidates of all subqueries. */
export async function search(): Promise<void> {
  const { query, index, user } = place.value;
  if (query.trim() === "" || index === "") {
    asked.value = null;
    return;
  }
  // Another index may have other documents under the same ids.
  if (asked.value?.index !== index) documents.value = new Map();
  await readMapping(index);
  const what = { index, query, user, subqueries: subqueries.value };
  asked.value = what;
  columns.value = new Map();
  const all = variants.value;
  const places = readCandidates(what);
  await Promise.all(all.map((variant) => searchWith(variant)));
  const failed = all.filter((variant) => columnOf(variant).state === "error").length;
  announce(`${all.length} variants searched for ${query}${failed > 0 ? `, ${failed} failed` : ""}`);
  await places;
}

/** Searches with one variant, unless its answer is known. */
export async function searchWith(variant: Variant): Promise<void> {
  const what = asked.value;
  if (!what || problemOf(variant) !== undefined) return;
  const key = keyOf(variant, what);
  if (columns.value.has(key)) return;
  put(key, { ...NOTHING, state: "loading" });
  try {
    const answer = await callService<AnySearchAnswer>(callOf(variant, what));
    keep(answer);
    put(key, columnFrom(answer));
  } catch (error) {
    const { message, code } = error as CallError;
    put(key, { ...NOTHING, state: "error", error: message, code });
  }
}

function columnFrom({ body, stages, milliseconds }: Answer<AnySearchAnswer>): Column {
  const { total, hits } = body.search_response.hits;
  return {
    ...NOTHING,
    state: "done",
    hits: hits.map(({ _id = "", _score }) => ({ id: _id, score: _score })),
    total: total ? `${total.relation === "gte" ? "over " : ""}${total.value.toLocaleString("en")} found` : "",
    rules: (body.rules ?? []).map(({ name }) => name),
    facets: facetsIn(body.search_response.aggregations),
    native: (body as { search_request?: Column["native"] }).search_request ?? templateIn(body),
    degraded: body.degraded ?? [],
    ...(body.experiment && { experiment: body.experiment }),
    stages,
    milliseconds,
  };
}

const templateIn = (body: object) => (body as { search_request_template?: Column["native"] }).search_request_template;

/** Returns the buckets of terms aggregations. */
function facetsIn(aggregations: Readonly<Record<string, unknown>> = {}): Column["facets"] {
  const all = Object.entries(aggregations).flatMap(([name, found]) => {
    const { buckets } = found as { buckets?: { key: unknown; key_as_string?: string; doc_count: number }[] };
    if (!Array.isArray(buckets) || buckets.length === 0) return [];
    return [
      [
        name,
        buckets.map(({ key, key_as_string, doc_count }) => ({ value: key_as_string ?? String(key), count: doc_count })),
      ] as const,
    ];
  });
  return Object.fromEntries(all);
}

export function keep({ body }: Answer<AnySearchAnswer>): void {
  // A template may return fewer fields than another search has found.
  const found = body.search_response.hits.hits.map(
    ({ _id = "", _source = {} }) => [_id, { ...documents.value.get(_id), ..._source }] as const,
  );
  documents.value = new Map([...documents.value, ...found]);
}

async function readCandidates(what: ColumnsRequest): Promise<void> {
  const key = JSON.stringify(what);
  candidates.value = { key, value: null, error: "" };
  try {
    const { body } = await callService<CandidatesAnswer>(candidatesCall(what));
    const value = candidatesIn(body);
    if (candidates.value.key === key) candidates.value = { key, value, error: "" };
  } catch (error) {
    if (candidates.value.key === key) candidates.value = { key, value: null, error: (error as Error).message };
  }
}

/** Fetches documents that are shown and that no search has brought, such as those that a new weight lifts. */
export async function readDocuments(ids: readonly string[], index = asked.value?.index ?? ""): Promise<void> {
  const missing = ids.filter((id) => !documents.value.has(id));
  if (missing.length === 0 || index === "") return;
  const hidden = (entry.value?.embeddings ?? []).map(({ field }) => field);
  const body = { size: missing.length, _source: { excludes: hidden }, query: { ids: { values: missing } } };
  const call = { index, is_logging_enable: false, search_request: body };
  keep(
    await callService<AnySearchAnswer>({ service: "gateway", method: "POST", path: "/application/search", body: call }),
  );
}

/** Returns the body of a variant's call with the native body in place of a named template. */
export function nativeBodyOf(variant: Variant, body: Record<string, object>): Record<string, object> {
  const { native } = columnOf(variant);
  if (variant.kind !== "template" || !native) return body;
  const { template: _, params: _params, ...others } = body;
  // The gateway adds the pipeline of its settings itself.
  const { search_pipeline: _pipeline, ...own } = native;
  return { ...others, [others.search_query ? "search_request_template" : "search_request"]: own };
}

/** Asks the cluster itself how a document's score came about. */
export async function explain(variant: Variant, id: string, signal: AbortSignal): Promise<unknown> {
  if (!asked.value) return undefined;
  const call = callOf(variant, asked.value);
  const body = nativeBodyOf(variant, call.body as Record<string, object>);
  const native = body.search_request ? "search_request" : "search_request_template";
  const explained = { ...call, body: { ...body, [native]: { ...body[native], explain: true } } };
  const answer = await callService<AnySearchAnswer>(explained, signal);
  const hit = answer.body.search_response.hits.hits.find(({ _id }) => _id === id);
  return (hit as { _explanation?: unknown } | undefined)?._explanation;
}
