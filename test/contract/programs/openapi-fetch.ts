import createClient from "openapi-fetch";
import type { paths as GatewayPaths } from "./types/gateway.js";
import type { components, paths as RecommendationPaths } from "./types/recommendation.js";

type EventRecord = components["schemas"]["EventRecord"];

const { GATEWAY_URL = "", RECOMMENDATION_URL = "", API_KEY = "", INDEX = "" } = process.env;
const headers = { "x-api-key": API_KEY };
const gateway = createClient<GatewayPaths>({ baseUrl: GATEWAY_URL, headers });
const recommendations = createClient<RecommendationPaths>({ baseUrl: RECOMMENDATION_URL, headers });

const bulk = await gateway.POST("/application/bulk", {
  body: {
    index: INDEX,
    bulk_request: [
      { id: "w1", op: "index", doc: { title: "Written" } },
      { id: "w1", op: "delete" },
    ],
  },
});
const written = bulk.data?.index_response.items.map((item) => (item.index ?? item.delete)?.result);

const search = await gateway.POST("/application/search", {
  body: { index: INDEX, search_request: { query: { match: { title: "salt" } } }, business_rules: null },
});
const found = search.data?.search_response.hits.hits.map((hit) => hit._source?.title);

const hybrid = await gateway.POST("/application/hybrid-search", {
  body: {
    index: INDEX,
    search_query: "salt",
    search_request_template: { query: { hybrid: { queries: [{ match: { title: "salt" } }] } } },
    settings: { normalization: "l2" },
  },
});
const fused = hybrid.data?.search_response.hits.hits.map((hit) => hit._id);

const wrong = await gateway.POST("/application/search", { body: { index: "", search_request: {} } });

const event: EventRecord = { USER_ID: "U1", ITEM_ID: "B1", EVENT_TYPE: "click", TIMESTAMP: 1_740_000_000 };
const upload = await recommendations.POST("/log-event", { body: { events: [event, { ...event, ITEM_ID: "" }] } });

const recommended = await recommendations.POST("/recommend-items-to-user", {
  body: { user_id: "U1", limit: 1, filter_name: "", filter_value_dict: {} },
});

console.log(
  JSON.stringify({
    written,
    found,
    fused,
    refused: wrong.error?.error.issues?.map(({ path }) => path),
    accepted: upload.data?.response.accepted,
    rejected: upload.data?.response.rejected.map(({ index }) => index),
    items: recommended.data?.response.items.map((item) => item.TITLE),
    degraded: recommended.data?.degraded?.map(({ stage }) => stage),
  }),
);
