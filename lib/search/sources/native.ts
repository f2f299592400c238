import { HYBRID_DEFAULTS } from "../../platform/contract/search.ts";
import { memberSlices, withMembers } from "../../platform/json/slices.ts";
import { isHybrid } from "../../platform/json/template.ts";
import { isObject, parseLossless } from "../../platform/json/values.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { IndexCatalog } from "../opensearch/index-catalog.ts";
import { nativeSearch } from "../page/answer.ts";
import { droppingReason, pageOf } from "../page/native-page.ts";
import { resolveTarget } from "../resolve/target.ts";
import type { SearchBody } from "../run/named-template.ts";
import type { AnySearchRequest } from "../run/request.ts";
import type { Opened, Retrieval, Running, Sender, Source, Worded } from "../run/source.ts";
import type { StageEntry } from "../stages/kinds.ts";
import { asksForEntry, sharedStages } from "../stages/table.ts";

/**
 * `POST /application/search`: a native body or a named template, sent unchanged unless rules, synonyms or stages change
 * it.
 */
export const native: Source<AnySearchRequest> = {
  kind: "search",

  textOf: ({ user_query }) => user_query,

  isEmbedded: () => false,

  async bodyOf(settings, { body, text }, template, replaced): Promise<SearchBody> {
    if (template != null) {
      const named = {
        name: template,
        text: replaced,
        queryMember: "user_query",
        bodyMember: "search_request",
      } as const;
      const { namedTemplate } = await import("../run/named-template.ts");
      return namedTemplate(settings, { ...named, endpoint: "search" }, text);
    }
    const slice = memberSlices(text).get("search_request");
    return { text: text.slice(slice?.start, slice?.end), parsed: body.search_request as Record<string, unknown> };
  },

  async open(running, search): Promise<Opened> {
    const { parsed } = search.own;
    const retrieval = retrievalOf(running, search);
    return {
      native: parsed,
      page: pageOf(parsed),
      filters: [],
      entry: await entryOf(running, search.index),
      retrieval: async () => retrieval,
    };
  },
};

function retrievalOf(
  { cluster, catalog, call, watch }: Running<AnySearchRequest>,
  { own, worded, index }: Worded,
): Retrieval {
  const { text } = worded;
  const slice = memberSlices(text).get("query");
  let queries: readonly unknown[] | undefined;
  const { timeout } = own.parsed;
  const { template, user_query, no_hits } = call.body;
  const sender: Sender = {
    body: (changed) =>
      changed === undefined || changed === queries ? text : withMembers(text, { query: JSON.stringify(changed[0]) }),
    send(json, page, { aggregate }) {
      const changes = page && { from: String(page.from), size: String(page.size) };
      const body = withMembers(json, { ...changes, ...(!aggregate && { aggs: undefined, aggregations: undefined }) });
      return watch.time("cluster", () => nativeSearch(cluster, call.deadline, index, body, { timeout }));
    },
    finish: async (found) => found,
    echo: {
      ...(template != null && { template: JSON.stringify(template) }),
      search_request: own.text,
      ...(user_query != null && { user_query: JSON.stringify(user_query) }),
      ...(no_hits != null && { no_hits: JSON.stringify(no_hits) }),
    },
  };
  return {
    queries() {
      queries ??= [slice ? parseLossless(text.slice(slice.start, slice.end)) : { match_all: {} }];
      return queries;
    },
    // The cluster returns an error for pages past the end of a fused list, and reading pins would need one.
    pins: isHybrid(own.parsed) ? undefined : { body: () => text },
    async unpagedBecause() {
      if (isHybrid(own.parsed)) return HYBRID_PAGES;
      const { search_pipeline } = own.parsed;
      return droppingReason(await responseProcessors(catalog, search_pipeline, index, call.deadline));
    },
    /** The minimum over the indexes: the window must fit all of them. */
    async maxResultWindow() {
      const indexes = await catalog.resolve(index, call.deadline);
      return Math.min(...indexes.map(({ maxResultWindow }) => maxResultWindow));
    },
    sender: () => sender,
    degraded: [],
    settings: null,
  };
}

const HYBRID_PAGES =
  "the list of a hybrid query here depends on the size of the page; send it to /application/hybrid-search";

/** Returns the response processors of a body's pipeline, or else of the indexes' default. */
async function responseProcessors(
  catalog: IndexCatalog,
  pipeline: unknown,
  index: string,
  deadline: Deadline,
): Promise<readonly unknown[]> {
  if (isObject(pipeline)) return [pipeline.response_processors ?? []].flat();
  const indexes = pipeline === undefined ? await catalog.resolve(index, deadline) : [];
  // With several defaults, the cluster runs none.
  const [id, ...others] = new Set([pipeline ?? indexes.flatMap(({ searchPipeline }) => searchPipeline ?? [])].flat());
  if (typeof id !== "string" || id === "_none" || others.length > 0) return [];
  return (await catalog.pipeline(id, deadline))?.response_processors ?? [];
}

const NO_ENTRY: StageEntry = { candidates: HYBRID_DEFAULTS.candidates, embedding_mappings: [] };

/**
 * Returns the stage settings in the entries of the searched indexes, if the request or any entry has a stage that needs
 * them.
 */
async function entryOf(running: Running<AnySearchRequest>, index: string): Promise<StageEntry> {
  const { call, settings } = running;
  if (!asksForEntry(call.body, settings.indexes)) return NO_ENTRY;
  // If the index cannot be resolved, the search itself reports the problem.
  const indexes = await resolveTarget(running, index, call.deadline)
    .then((target) => target.indexes)
    .catch(() => []);
  const { candidates, embedding_mappings } = indexes[0]?.entry ?? NO_ENTRY;
  return { candidates, embedding_mappings, ...sharedStages(indexes) };
}
