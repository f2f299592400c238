/** Searchkit's API for Node: it only searches, in an index that this program makes beside it. */
import Client from "@searchkit/api";

const { URL: url, KEY: key, INDEX: index } = process.env;
const headers = { "x-api-key": key, "content-type": "application/json" };

async function call(method, path, body) {
  const answer = await fetch(`${url}/${path}`, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}

async function step(name, action) {
  try {
    console.log(JSON.stringify({ step: name, got: await action() }));
  } catch (error) {
    console.log(JSON.stringify({ step: name, error: String(error).slice(0, 600) }));
  }
}

const dimension = 2;
const embedding = { type: "knn_vector", dimension, method: { name: "hnsw", engine: "lucene", space_type: "l2" } };
await call("PUT", index, {
  settings: { index: { knn: true } },
  mappings: { properties: { text: { type: "text" }, genre: { type: "keyword" }, embedding } },
});
await call("PUT", `${index}/_doc/0?refresh=true`, { text: "a river at night", genre: "prose", embedding: [1, 2] });

const client = Client({
  connection: { host: url, headers: { "x-api-key": key } },
  search_settings: {
    search_attributes: ["text"],
    result_attributes: ["text"],
    highlight_attributes: ["text"],
    facet_attributes: [{ attribute: "genre", field: "genre", type: "string" }],
  },
});
const request = [{ indexName: index, params: { query: "river", facets: ["genre"], facetFilters: ["genre:prose"] } }];
const one = ({ results: [{ hits, facets }] }) => {
  if (hits.length !== 1) throw new Error(`found ${hits.length} documents`);
  return [hits[0].text, facets];
};

await step("keyword", async () => one(await client.handleRequest(request)));
await step("vector", async () => {
  const getQuery = () => ({ knn: { embedding: { vector: [1, 2], k: 1 } } });
  return one(await client.handleRequest(request, { getQuery }));
});
await call("DELETE", index);
