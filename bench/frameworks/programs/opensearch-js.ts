/** The official client of JavaScript, with its helpers. */
import { Client } from "@opensearch-project/opensearch";

const { URL: node = "", KEY: key = "", INDEX: index = "" } = process.env;
const client = new Client({ node, headers: { "x-api-key": key } });
const texts = ["a river at night", "the quiet mountain"];
const vectors = [
  [1, 2],
  [7, 8],
];

async function step(name: string, action: () => Promise<unknown>): Promise<void> {
  try {
    console.log(JSON.stringify({ step: name, got: (await action()) ?? null }));
  } catch (error) {
    console.log(JSON.stringify({ step: name, error: String(error).slice(0, 600) }));
  }
}

const found = async (query: object) => {
  const { body } = await client.search({ index, body: { query, size: 1 } } as never);
  return (body as { hits: { hits: Array<{ _source: { text: string } }> } }).hits.hits.map(
    ({ _source }) => _source.text,
  );
};

await step("create", async () => {
  const embedding = { type: "knn_vector", dimension: 2, method: { name: "hnsw", engine: "lucene", space_type: "l2" } };
  const body = { settings: { index: { knn: true } }, mappings: { properties: { text: { type: "text" }, embedding } } };
  await client.indices.create({ index, body } as never);
  await client.cluster.health({ index, wait_for_status: "yellow" } as never);
  await client.cat.indices({ index, format: "json" });
  return (await client.indices.exists({ index })).body;
});
await step("write", async () => {
  const { failed, successful } = await client.helpers.bulk({
    datasource: texts.map((text, at) => ({ text, embedding: vectors[at] })),
    onDocument: () => ({ index: { _index: index } }),
    refreshOnCompletion: index,
  } as never);
  if (failed > 0) throw new Error(`${failed} operations failed`);
  return successful;
});
await step("read", async () => {
  const seen: unknown[] = [];
  for await (const document of client.helpers.scrollDocuments({ index, size: 1 } as never)) seen.push(document);
  return seen.length;
});
await step("keyword", () => found({ match: { text: "river" } }));
await step("vector", () => found({ knn: { embedding: { vector: vectors[0], k: 1 } } }));
await step("recreate", async () => {
  const { body } = await client.indices.get({ index });
  const kept = (body as unknown as Record<string, Record<string, Record<string, Record<string, unknown>>>>)[index];
  for (const name of ["uuid", "creation_date", "provided_name", "version"]) delete kept?.settings?.index?.[name];
  await client.indices.delete({ index });
  return (await client.indices.create({ index, body: kept } as never)).statusCode;
});
await step("delete", async () => {
  await client.index({ index, id: "0", body: { text: texts[0] }, refresh: true } as never);
  await client.delete({ index, id: "0", refresh: true });
  await client.deleteByQuery({ index, body: { query: { match_all: {} } }, refresh: true } as never);
  return (await client.indices.delete({ index })).statusCode;
});
await client.close();
