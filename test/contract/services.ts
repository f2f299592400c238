import { join } from "node:path";
import { realtimeSyncSettings } from "../../lib/recommendation/service/settings-of.ts";
import type { GatewaySettings } from "../../lib/search/gateway/settings.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { createModelStandIns } from "../../packages/local-models/stand-ins.ts";
import { patient } from "../../packages/processes/wait.ts";
import { ROOT } from "../fixtures/env.ts";
import { API_KEY, CAMPAIGN_ARN, HYBRID_MAPPING, hybridIndex, startGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { startWorld } from "../functions/recommendation-api/world.ts";

const BOOK = { title: "The Salt Road", description: "A caravan crosses a dead sea." };
const OTHER_BOOK = { title: "Green Water", description: "Letters reach an island." };

const ITEM = { ITEM_ID: "B1", TITLE: BOOK.title, AUTHOR: "Ada Lind", CATEGORIES: "Fantasy" };

const MODEL_OF_FIELD = { description_dense: "dense_large_en_v1_5", description_sparse: "sparse_v3" } as const;

/** The templates that requests of the site's pages name. */
const TEMPLATES: GatewaySettings["templates"] = [
  { name: "by_title", params: {}, search_request_template: { query: { match: { title: "[search_query]" } } } },
  {
    name: "shop_page",
    params: {},
    search_request_template: {
      query: {
        bool: {
          must: { match: { title: "[search_query]" } },
          filter: [{ when: "colors", terms: { color: "[params.colors]" } }],
        },
      },
    },
    parameters: [{ name: "colors", type: "texts", max_items: 20, max_length: 30 }],
  },
  {
    name: "title_and_meaning",
    params: {},
    search_request_template: {
      size: "[params.size]",
      query: {
        hybrid: {
          queries: [
            { match: { title: "[search_query]" } },
            { knn: { description_dense: { vector: "[description_dense]", k: 50 } } },
          ],
        },
      },
    },
  },
];

/** What every program prints that uses a client of both services: one written in `programs/`. */
export const EXPECTED = {
  written: ["created", "deleted"],
  found: ["The Salt Road"],
  fused: ["b1"],
  refused: ["index"],
  accepted: 1,
  rejected: [1],
  items: ["The Salt Road"],
  degraded: ["campaign"],
};

/** Starts both services behind the local API server, with two books in an index, and one of them among the items. */
export async function startServices() {
  const cluster = (await clusters())[0];
  if (!cluster) throw new Error("there is no cluster to test against");
  const endpoints = { dense: "dense_large_en_v1_5", sparse: "sparse_v3" } as const;
  const models = await createModelStandIns({ modelOfEndpoint: (name) => endpoints[name as keyof typeof endpoints] });
  // The requests that OpenAPI shows have the columns of the example.
  const config = loadConfiguration(join(ROOT, "conf.local"));
  if (!config.recommendation) throw new Error("conf.local has no recommendations");
  const { definitions } = realtimeSyncSettings(config, config.recommendation);
  const world = await startWorld({ standIns: [models], settings: { definitions } });
  const index = uniqueIndex("contract");
  const embedding_mappings = Object.entries(MODEL_OF_FIELD).map(([embedding_field, model_name]) => ({
    embedding_field,
    model_name,
    src_fields: ["description"],
  }));
  const gateway = await startGateway({
    node: cluster.url,
    eventsStream: world.names.stream("events"),
    // Generated bodies have up to 5,000 operations, which take long on a busy machine.
    functionTimeoutMs: patient(55_000),
    settings: {
      templates: TEMPLATES,
      indexes: [hybridIndex(index, { embedding_mappings, suggest: { titles: { field: "title" }, never: [] } })],
      // No such campaign exists, so searches for a user are degraded.
      personalized_ranking: {
        campaign_arn: CAMPAIGN_ARN,
        weight: 0.5,
        window: 100,
        timeout_ms: 1_000,
        item_id_field: "_id",
      },
    },
  });
  const { text_dense: description_dense, text_sparse: description_sparse } = HYBRID_MAPPING.mappings.properties;
  const mappings = { properties: { description: { type: "text" }, description_dense, description_sparse } };
  succeed("the index", await request(cluster, "PUT", `/${index}`, { ...HYBRID_MAPPING, mappings }));
  succeed("the book", await request(cluster, "PUT", `/${index}/_doc/b1?refresh=true`, BOOK));
  succeed("another book", await request(cluster, "PUT", `/${index}/_doc/b2?refresh=true`, OTHER_BOOK));
  succeed("the item", await world.post("/update-items", { items: [ITEM] }));
  await world.putPopularItems(["B1"]);
  await world.putParameter(world.names.filterParameter("category"), world.names.arn("personalize", "filter/category"));
  await world.putPlacements({
    placements: [{ name: "home", recipe: "user_personalization", limit: 10, fallback: [{ list: "popular" }] }],
  });
  return {
    env: { GATEWAY_URL: gateway.url, RECOMMENDATION_URL: world.url, API_KEY, INDEX: index },
    async stop() {
      await gateway.stop();
      await world.stop();
      await request(cluster, "DELETE", `/${index}*`);
    },
  };
}

export type Services = Awaited<ReturnType<typeof startServices>>;

function succeed(what: string, { status, body }: { status: number; body: unknown }): void {
  if (status >= 300) throw new Error(`${what} could not be stored: ${JSON.stringify(body)}`);
}
