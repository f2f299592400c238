import { API_KEY, startGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { startWorld } from "../functions/recommendation-api/world.ts";

/** Both services behind the local API server, with one book in an index and among the items. */
export async function startServices() {
  const cluster = (await clusters())[0];
  if (!cluster) throw new Error("there is no cluster to test against");
  const world = await startWorld();
  const gateway = await startGateway({ node: cluster.url });
  const index = uniqueIndex("contract");
  const book = await request(cluster, "PUT", `/${index}/_doc/b1?refresh=true`, { title: "The Salt Road" });
  if (book.status !== 201) throw new Error(`the book could not be stored: ${JSON.stringify(book.body)}`);
  const items = await world.post("/update-items", { items: [{ ITEM_ID: "B1", TITLE: "The Salt Road" }] });
  if (items.status !== 200) throw new Error(`the item could not be stored: ${items.text}`);
  await world.putPopularItems(["B1"]);
  return {
    cluster,
    world,
    gateway,
    index,
    env: { GATEWAY_URL: gateway.url, RECOMMENDATION_URL: world.url, API_KEY, INDEX: index },
    async stop() {
      await gateway.stop();
      await world.stop();
    },
  };
}

export type Services = Awaited<ReturnType<typeof startServices>>;
