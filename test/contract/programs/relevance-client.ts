import { InvalidRequestError, Relevance } from "@relevance/client";

interface Book {
  title: string;
}

const { GATEWAY_URL = "", RECOMMENDATION_URL = "", API_KEY = "", INDEX = "" } = process.env;
const gateway = new Relevance({ url: GATEWAY_URL, key: API_KEY });
const recommendations = new Relevance({ url: RECOMMENDATION_URL, key: API_KEY });

const written: (string | undefined)[] = [];
const operations = [
  { id: "w1", op: "index" as const, doc: { title: "Written" } },
  { id: "w1", op: "delete" as const },
];
for await (const { result } of gateway.bulkAll(INDEX, operations)) written.push(result.result);

const search = await gateway.search<Book>({
  index: INDEX,
  search_request: { query: { match: { title: "salt" } } },
  business_rules: null,
});
const found = search.search_response.hits.hits.map((hit) => hit._source.title);

const fused: (string | undefined)[] = [];
for await (const hit of gateway.hybridSearchHits<Book>({
  index: INDEX,
  search_query: "salt",
  search_request_template: { query: { hybrid: { queries: [{ match: { title: "salt" } }] } } },
  settings: { normalization: "l2" },
}))
  fused.push(hit._id);

const refused = await gateway
  .search({ index: "", search_request: {} })
  .then(() => [])
  .catch((error: unknown) => (error instanceof InvalidRequestError ? error.issues.map(({ path }) => path) : []));

const event = { USER_ID: "U1", ITEM_ID: "B1", EVENT_TYPE: "click", TIMESTAMP: 1_740_000_000 };
const upload = await recommendations.logEvent({ events: [event, { ...event, ITEM_ID: "" }] });
const recommended = await recommendations.recommendItemsToUser({
  user_id: "U1",
  limit: 1,
  filter_name: "",
  filter_value_dict: {},
});

console.log(
  JSON.stringify({
    written,
    found,
    fused,
    refused,
    accepted: upload.response.accepted,
    rejected: upload.response.rejected.map(({ index }) => index),
    items: recommended.response.items.map((item) => item.TITLE),
    degraded: recommended.degraded?.map(({ stage }) => stage),
  }),
);
