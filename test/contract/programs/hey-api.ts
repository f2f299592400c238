import { createClient } from "./gateway/client";
import { bulk, hybridSearch, search } from "./gateway/sdk.gen";
import type { BulkOperation } from "./gateway/types.gen";
import { createClient as createRecommendationClient } from "./recommendation/client";
import { logEvent, recommendItemsToUser } from "./recommendation/sdk.gen";
import type { EventRecord } from "./recommendation/types.gen";

const { GATEWAY_URL = "", RECOMMENDATION_URL = "", API_KEY = "", INDEX = "" } = process.env;
const headers = { "x-api-key": API_KEY };
const client = createClient({ baseUrl: GATEWAY_URL, headers });
const recommendations = createRecommendationClient({ baseUrl: RECOMMENDATION_URL, headers });

const operations: BulkOperation[] = [
  { id: "w1", op: "index", doc: { title: "Written" } },
  { id: "w1", op: "delete" },
];
const bulked = await bulk({ client, body: { index: INDEX, bulk_request: operations } });
const written = bulked.data?.index_response.items.map((item) => (item.index ?? item.delete)?.result);

const searched = await search({
  client,
  body: { index: INDEX, search_request: { query: { match: { title: "salt" } } }, business_rules: null },
});
const found = searched.data?.search_response.hits.hits.map((hit) => hit._source?.title);

const hybrid = await hybridSearch({
  client,
  body: {
    index: INDEX,
    search_query: "salt",
    search_request_template: { query: { hybrid: { queries: [{ match: { title: "salt" } }] } } },
    settings: { normalization: "l2" },
  },
});
const fused = hybrid.data?.search_response.hits.hits.map((hit) => hit._id);

const wrong = await search({ client, body: { index: "", search_request: {} } });

const event: EventRecord = { USER_ID: "U1", ITEM_ID: "B1", EVENT_TYPE: "click", TIMESTAMP: 1_740_000_000 };
const upload = await logEvent({ client: recommendations, body: { events: [event, { ...event, ITEM_ID: "" }] } });

const recommended = await recommendItemsToUser({
  client: recommendations,
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
