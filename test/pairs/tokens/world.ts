import { createPace } from "../../../lib/search/index/rebuild/pace.ts";
import { createRunCalls } from "../../../lib/search/index/rebuild/run-calls.ts";
import { noAuth } from "../../../lib/search/opensearch/auth.ts";
import { createCluster } from "../../../lib/search/opensearch/client.ts";
import { buildSuggestions } from "../../../lib/search/suggest/build.ts";
import { corpus } from "../../fixtures/corpus.ts";
import { fillIndex } from "../../fixtures/fill-index.ts";
import { CAMPAIGN_ARN, HYBRID_MAPPING, hybridIndex, startGateway, type TestGateway } from "../../fixtures/gateway.ts";
import { type Cluster, uniqueIndex } from "../../fixtures/opensearch.ts";
import { TOKENS } from "../../fixtures/tokens.ts";
import { removeAll, succeed } from "../cleanup.ts";
import type { PairModels } from "../models.ts";
import { RANKING } from "../search/personal.ts";
import { SYNONYMS } from "../search/synonyms.ts";
import { RERANK } from "../search/world.ts";

/** Whose documents there are. All that a document shows of itself names its tenant: id, text and fields. */
export const TENANTS = ["alpha", "bravo", "charlie"] as const;

const DOCUMENTS = corpus(60).map(({ doc }, at) => {
  const tenant = TENANTS[at % TENANTS.length];
  return { id: `${tenant}-${at}`, doc: { ...doc, tenant, shelf: at % TENANTS.length, text: `${doc.text} ${tenant}` } };
});

/** Rules for the segments that a request names. Their pins are documents of every tenant. */
const pins = (ids: readonly string[], ignore_filters: boolean) =>
  ids.map((id, at) => ({ id, place: at * 2 + 1, ignore_filters }));
const EFFECTS = {
  pins: { pin: pins(["bravo-1", "alpha-0", "charlie-2"], false) },
  anyway: { pin: pins(["charlie-5", "bravo-4", "alpha-3"], true) },
  hides: { hide: { ids: ["alpha-6", "bravo-7"] } },
  filters: { filter: { terms: { genre: ["sea", "wood"] } } },
  raises: { boost: [{ filter: { term: { genre: "desert" } }, by: 3 }] },
  replaces: { replace_text: "oasis well dune" },
} as const;
export const SEGMENTS = Object.keys(EFFECTS) as Array<keyof typeof EFFECTS>;

const VARIANTS = [
  { name: "even", share: 0.5, settings: {} },
  { name: "steep", share: 0.5, settings: { normalization: "l2", combination: "harmonic_mean" } },
] as const;

/** The templates of searches by name: those of `own` have the filter written by hand. */
export const TEMPLATES = [
  { name: "words", query: { match: { text: "[search_query]" } } },
  {
    name: "mixed",
    query: { match: { text: "[search_query]" } },
    near: (filter: object | undefined) => ({
      knn: { text_dense: { vector: "[text_dense]", k: 20, ...(filter && { filter }) } },
    }),
  },
] as const;
const NUMBER = { type: "number", min: 0, max: 50 } as const;
const PARAMETERS = [
  { name: "size", ...NUMBER, default: 10 },
  { name: "from", ...NUMBER, default: 0 },
] as const;

const templatesOf = (suffix: string, filter: object | undefined, parameters: readonly object[]) =>
  TEMPLATES.map(({ name, query, ...more }) => {
    const words = filter ? { bool: { must: [query], filter: [filter] } } : query;
    return {
      name: `${name}${suffix}`,
      params: {},
      parameters: [...PARAMETERS, ...parameters] as never,
      search_request_template: {
        size: "[params.size]",
        from: "[params.from]",
        query: "near" in more ? { hybrid: { queries: [words, more.near(filter)] } } : words,
      },
    };
  });

export interface TokenWorld {
  /** The names that searches use: an index, one with an experiment, both, and an alias with a filter of its own. */
  indexes: { main: string; tried: string; both: string; alias: string };
  gateway: TestGateway;
  stop(): Promise<void>;
}

/** Fills two indexes with documents of several tenants, and starts a gateway whose key works with tokens and without. */
export async function startTokenWorld(cluster: Cluster, { bucket }: PairModels): Promise<TokenWorld> {
  const main = uniqueIndex("tokens");
  const indexes = { main, tried: `${main}-tried`, both: `${main},${main}-tried`, alias: `${main}-alias` };
  const suggest = { titles: { field: "text", filter_fields: ["tenant", "shelf"] }, never: [] };
  const rerank = { ...RERANK, candidates: 20 };
  bucket.rules = SEGMENTS.map((name) => ({ name, when: { segments: [name] }, effects: EFFECTS[name] }));
  const gateway = await startGateway({
    node: cluster.url,
    env: { API_KEYS: "key-1=app", BUCKET: "pairs" },
    settings: {
      has_rules: true,
      indexes: [
        hybridIndex(main, { suggest, rerank, synonyms: SYNONYMS }),
        hybridIndex(indexes.tried, { suggest, rerank, synonyms: SYNONYMS }),
      ],
      experiments: [{ name: "tried", index: indexes.tried, kind: "interleave", variants: VARIANTS as never }],
      personalized_ranking: { campaign_arn: CAMPAIGN_ARN, ...RANKING, timeout_ms: 10_000, item_id_field: "_id" },
      templates: [
        ...templatesOf("", undefined, []),
        ...templatesOf("-own", { terms: { tenant: "[params.tenants]" } }, [
          { name: "tenants", type: "texts", max_items: 3, max_length: 20 },
        ]),
      ],
      keys: [
        {
          ...{ name: "app", raw_backend: "all", tokens: TOKENS },
          endpoints: ["search", "hybrid-search", "suggest", "bulk", "raw-backend"],
        },
      ],
    },
  });
  await gateway.probe();
  const keyword = { type: "keyword" };
  const properties = { ...HYBRID_MAPPING.mappings.properties, tenant: keyword, shelf: { type: "integer" } };
  for (const name of [main, indexes.tried]) {
    await fillIndex(cluster, gateway, name, DOCUMENTS, { ...HYBRID_MAPPING, mappings: { properties } });
    await succeed(cluster, "POST", `/${name}/_forcemerge?max_num_segments=1`);
    const calls = createRunCalls({ cluster: createCluster({ node: cluster.url, auth: noAuth }), pace: createPace(2) });
    const searches = TENANTS.map((tenant) => ({ text: `salt ${tenant}`, weight: 9, source: "searches" as const }));
    const until = Number.POSITIVE_INFINITY;
    await buildSuggestions({ calls, index: name, settings: suggest, searches, now: new Date(), until });
  }
  const filter = { range: { year: { gte: 1905 } } };
  await succeed(cluster, "PUT", `/${main}/_alias/${indexes.alias}`, { filter });
  return {
    indexes,
    gateway,
    async stop() {
      await gateway.stop();
      await removeAll(cluster, main);
    },
  };
}
