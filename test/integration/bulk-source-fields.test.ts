import * as assert from "uvu/assert";
import { mappingWarnings } from "../../cli/gateway/mapping-warnings.ts";
import { noAuth } from "../../lib/search/opensearch/auth.ts";
import { createCluster } from "../../lib/search/opensearch/client.ts";
import type { HybridQuery } from "../../lib/settings/hybrid-search.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { bulkGateway, mappedIndex } from "../lib/search/bulk/support.ts";
import { suite } from "../suite.ts";

const test = suite("source fields of bulk");

const SPARSE = {
  settings: { number_of_shards: 1, number_of_replicas: 0 },
  mappings: { properties: { sparse: { type: "rank_features" } } },
};

/** Names that the cluster takes, in documents that hold them in objects too. */
const NAMES = ["名称", "1st_line", "_own", "a,b", "a*b", "with blank", "x-y.2nd", "größe.名.[k]", '"quoted"', "😀"];

for (const cluster of await clusters()) {
  const { version } = cluster;

  /** An index and a gateway that embeds these fields of it. */
  const setUp = async (...src_fields: string[]) => {
    const index = uniqueIndex("sources");
    await request(cluster, "PUT", `/${index}`, SPARSE);
    const mapping = { embedding_field: "sparse", model_name: "sparse_v3", src_fields } as const;
    const gateway = bulkGateway(cluster.url, { indexes: [mappedIndex(index, { embedding_mappings: [mapping] })] });
    /** Writes one document and returns the texts that were embedded for it. */
    const embeddedFor = async (op: "index" | "update", doc: Record<string, unknown>, id = "1") => {
      gateway.sparse.calls.length = 0;
      const { items } = await gateway.bulk(index, [{ id, op, doc }]);
      assert.ok([200, 201].includes(items[0]?.status ?? 0), JSON.stringify(items));
      return gateway.sparse.calls.flat();
    };
    return { index, embeddedFor, gateway };
  };

  test(`${version}: null in an array of a source field is skipped`, async () => {
    const { embeddedFor } = await setUp("tags", "parts.text");
    const doc = { tags: ["red", null, "sea"], parts: [{ text: "one" }, { text: null }, null, { text: [null, "two"] }] };
    assert.equal(await embeddedFor("index", doc), ["red\nsea\none\ntwo"]);
    assert.equal(await embeddedFor("update", { tags: [null] }), ["one\ntwo"]);
  });

  test(`${version}: an update embeds what indexing the stored document would embed`, async () => {
    const { index, embeddedFor } = await setUp("title", "brand.name", "brand.full.name");
    const changes: Array<[before: Record<string, unknown>, change: Record<string, unknown>]> = [
      [{ brand: { name: "Acme", n: 1 } }, { "brand.name": "Dotty" }],
      [{ "brand.name": "Dotty" }, { brand: { name: "Acme" } }],
      [{ brand: { name: "Acme" }, "brand.name": "Dotty" }, { "brand.name": null }],
      [{ brand: [{ name: "Acme" }, { name: "Bell" }] }, { "brand.name": ["Dotty"] }],
      [{ "brand.name": "Dotty" }, { brand: [{ name: "Acme" }, { name: "Bell" }] }],
      [{ brand: { "full.name": "Acme" } }, { brand: { full: { name: "Dotty" } } }],
      [{ title: "t", brand: { name: "Acme" } }, { title: "u" }],
    ];
    for (const [position, [before, change]] of changes.entries()) {
      const id = `${position}`;
      await embeddedFor("index", before, id);
      const updated = await embeddedFor("update", change, id);
      const stored = await request<Record<string, unknown>>(cluster, "GET", `/${index}/_source/${id}`);
      const { sparse, ...document } = stored.body;
      assert.ok(sparse, JSON.stringify(stored.body));
      assert.equal(updated, await embeddedFor("index", document, id), JSON.stringify(document));
    }
  });

  test(`${version}: source fields may have any name that the cluster takes`, async () => {
    const { embeddedFor } = await setUp(...NAMES, "title");
    const members = NAMES.map((path) => {
      const [first = "", ...rest] = path.split(".");
      return [first, rest.reduceRight<unknown>((value, key) => ({ [key]: value }), `in ${path}`)];
    });
    const document = Object.fromEntries(members);
    const texts = NAMES.map((name) => `in ${name}`);
    assert.equal(await embeddedFor("index", document), [texts.join("\n")]);
    assert.equal(await embeddedFor("update", { title: "new" }), [[...texts, "new"].join("\n")]);
  });

  test(`${version}: validate names fields that no document holds, and synonyms that are analyzed as other words`, async () => {
    const index = uniqueIndex("unheld");
    const properties = {
      title: { type: "text", copy_to: "all", fields: { keyword: { type: "keyword" } } },
      about: { properties: { text: { type: "text", copy_to: "all" }, name: { type: "alias", path: "title" } } },
      all: { type: "text" },
    };
    await request(cluster, "PUT", `/${index}-1`, { mappings: { properties } });
    const src_fields = ["title", "all", "about.name", "about.text", "new"];
    const mapping = { embedding_field: "sparse", model_name: "sparse_v3" as const, src_fields };
    const titles = { titles: { field: "title.keyword" }, never: [] };
    const entry = (name: string) => ({
      ...mappedIndex(name, { embedding_mappings: [mapping] }),
      suggest: titles,
      synonyms: { files: [{ file: "s.txt" }] },
    });
    const hybridQueries = [entry(`${index}*`), entry("absent")] as unknown as HybridQuery[];
    const configured = { hybridQueries, synonyms: { "s.txt": ["tv, telly", "csharp => c#, .net"] } };
    assert.equal(await mappingWarnings(createCluster({ node: cluster.url, auth: noAuth }), configured), [
      `hybrid_search.yaml: src_fields of ${index}*: documents may lack all, which the mapping fills by copy_to: name about.text, title instead (index ${index}-1)`,
      `hybrid_search.yaml: src_fields of ${index}*: no document holds about.name, which is an alias: name title instead (index ${index}-1)`,
      `hybrid_search.yaml: titles.field of ${index}*: no document holds title.keyword, which is a form of title: name title instead (index ${index}-1)`,
      `hybrid_search.yaml: synonyms of ${index}*: "c#" finds "c" in title, all, about.text, whose analyzer drops its signs, as of 1 more texts (index ${index}-1)`,
    ]);
  });

  test(`${version}: a document without an embedding, since no document holds the source field, is degraded`, async () => {
    const properties = {
      ...SPARSE.mappings.properties,
      title: { type: "text", copy_to: "all", fields: { keyword: { type: "keyword" } } },
      ...{ all: { type: "text" }, name: { type: "alias", path: "title" } },
    };
    for (const [field, reason] of [
      ["all", "documents may lack all, which the mapping fills by copy_to: name title instead"],
      ["name", "no document holds name, which is an alias: name title instead"],
      ["title.keyword", "no document holds title.keyword, which is a form of title: name title instead"],
    ] as const) {
      const index = uniqueIndex("unheld");
      await request(cluster, "PUT", `/${index}`, { ...SPARSE, mappings: { properties } });
      const mapping = { embedding_field: "sparse", model_name: "sparse_v3" as const, src_fields: [field as string] };
      const gateway = bulkGateway(cluster.url, { indexes: [mappedIndex(index, { embedding_mappings: [mapping] })] });
      const { items, body } = await gateway.bulk(index, [{ id: "1", op: "index", doc: { title: "salt" } }]);
      assert.is(items[0]?.status, 201);
      const effect = "stored without sparse: bulk_request 0";
      assert.equal(body.degraded, [{ stage: "embedding", target: "sparse", reason, effect }]);
    }
  });

  test(`${version}: a text that an ingest pipeline writes after the embedding is degraded`, async () => {
    const processors = [
      { trim: { field: "title", ignore_missing: true } },
      { set: { field: "title", value: "salt road", if: "ctx.new == true" } },
    ];
    const pipeline = uniqueIndex("pipeline");
    await request(cluster, "PUT", `/_ingest/pipeline/${pipeline}`, { processors });
    for (const setting of ["default_pipeline", "final_pipeline"]) {
      const { index, gateway } = await setUp("title");
      await request(cluster, "PUT", `/${index}/_settings`, { index: { [setting]: pipeline } });
      const { items, body } = await gateway.bulk(index, [
        { id: "1", op: "index", doc: { title: " Salt  road ", n: 1 } },
        { id: "2", op: "index", doc: { title: "sea", new: true } },
        { id: "3", op: "create", doc: { new: true } },
        { id: "4", op: "index", doc: { title: "sea", new: true } },
        { id: "4", op: "index", doc: { title: "sea" } },
        { id: "5", op: "update", doc: { title: "sea", new: true }, doc_as_upsert: true },
      ]);
      assert.not.ok(items.some(({ error }) => error));
      const reason = `the ingest pipeline of the index changed title after it was embedded: send what the pipeline makes of it`;
      const degraded = { stage: "embedding", target: "sparse", reason };
      assert.equal(body.degraded, [
        { ...degraded, effect: "stored with an earlier sparse: bulk_request 1, 5" },
        { ...degraded, effect: "stored without sparse: bulk_request 2" },
      ]);
    }
    await request(cluster, "DELETE", `/_ingest/pipeline/${pipeline}`);
  });
}

test.run();
