import * as assert from "uvu/assert";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { bulkGateway, MAPPED_INDEX, mappedIndex } from "../lib/search/bulk/support.ts";
import { suite } from "../suite.ts";

const test = suite("bulk to an index that was deleted");

for (const cluster of await clusters()) {
  const { version } = cluster;
  const statusOf = async (path: string) => (await request(cluster, "GET", path)).status;
  const index = (id: string) => ({ id, op: "index", doc: { title: "salt", body: "road" } });

  const EVERY = [
    index("2"),
    { id: "3", op: "create", doc: { title: "a", body: "b" } },
    { id: "4", op: "update", doc: { title: "a", body: "b" }, doc_as_upsert: true },
    { id: "5", op: "update", doc: { title: "a" }, doc_as_upsert: true },
    { id: "6", op: "index", doc: { n: 1 }, version: 3, version_type: "external" },
    { id: "7", op: "delete", version: 3, version_type: "external" },
    { id: "8", op: "delete" },
  ];

  test(`${version}: a write within the same second fails, and the cluster creates no index`, async () => {
    const name = uniqueIndex("deleted");
    await request(cluster, "PUT", `/${name}`, MAPPED_INDEX);
    const gateway = bulkGateway(cluster.url, { indexes: [mappedIndex(name)] }, () => 0);
    assert.is((await gateway.bulk(name, [index("1")])).items[0]?.status, 201);
    await request(cluster, "DELETE", `/${name}`);
    const { status, items } = await gateway.bulk(name, EVERY);
    assert.is(status, 200);
    assert.equal(
      items.map((item) => [item._id, item.status, item.error?.type]),
      EVERY.map(({ id }) => [id, 404, "index_not_found_exception"]),
    );
    assert.is(await statusOf(`/${name}`), 404);

    await request(cluster, "PUT", `/${name}`, MAPPED_INDEX);
    assert.is((await gateway.bulk(name, [index("1")])).items[0]?.status, 201, "the owner has created it again");
  });

  test(`${version}: an alias whose index is gone does not become an index`, async () => {
    const [name, alias] = [uniqueIndex("deleted"), uniqueIndex("alias")];
    await request(cluster, "PUT", `/${name}`, { ...MAPPED_INDEX, aliases: { [alias]: {} } });
    const gateway = bulkGateway(cluster.url, { indexes: [mappedIndex(name)] }, () => 0);
    const first = await gateway.bulk(alias, [index("1")]);
    assert.equal([first.items.length, first.items[0]?.status], [1, 201]);
    const found = await request<{ count: number }>(cluster, "GET", `/${name}/_count`);
    assert.ok(found.body.count <= 1, "the gateway wrote nothing else");
    await request(cluster, "DELETE", `/${name}`);
    const { items } = await gateway.bulk(alias, [index("2")]);
    assert.equal([items[0]?.status, items[0]?.error.type], [404, "index_not_found_exception"]);
    assert.is(await statusOf(`/${alias}`), 404);
  });

  test(`${version}: a second later the whole request is rejected, with the command that generates the schema`, async () => {
    const name = uniqueIndex("deleted");
    await request(cluster, "PUT", `/${name}`, MAPPED_INDEX);
    let now = 0;
    const gateway = bulkGateway(cluster.url, { indexes: [mappedIndex(name)] }, () => now);
    await gateway.bulk(name, [index("1")]);
    await request(cluster, "DELETE", `/${name}`);
    now = 1_000;
    const missing = await gateway.bulk(name, [index("1")]);
    assert.is(missing.status, 400);
    assert.match(missing.body.error.message, "generate-semantic-index-schema");

    // Somebody else writes to it, and the cluster creates an index without the fields.
    await request(cluster, "PUT", `/${name}/_doc/1`, { title: "salt" });
    const wrong = await gateway.bulk(name, [index("2")]);
    assert.equal([wrong.status, await statusOf(`/${name}/_doc/2`)], [400, 404]);
    assert.match(wrong.body.error.issues[0]?.message ?? "", "dense");
  });

  test(`${version}: a write still creates an index without embeddings`, async () => {
    const [name, mapped] = [uniqueIndex("plain"), uniqueIndex("mapped")];
    const gateway = bulkGateway(cluster.url, { indexes: [mappedIndex(mapped)] });
    assert.is((await gateway.bulk(name, [index("1")])).items[0]?.status, 201);
    assert.is(await statusOf(`/${name}`), 200);
  });
}

test.run();
