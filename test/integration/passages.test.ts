import * as assert from "uvu/assert";
import { concurrently } from "../../lib/platform/resilience/concurrently.ts";
import { CHUNKING, passagesField, vectorField } from "../../lib/settings/vectors.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import type { TestHit } from "../fixtures/gateway-json.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { plantedEvidence } from "../fixtures/planted-evidence.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("passages of long documents");
const upstreams = await startUpstreams();
const { control } = upstreams.models;

const LONG = plantedEvidence(60);

/** How many of the documents with planted evidence are searched for. */
const SEARCHED = 20;

const [DENSE, SPARSE] = hybridIndex("").embedding_mappings;
const PASSAGES = {
  ...HYBRID_MAPPING,
  mappings: {
    properties: { ...HYBRID_MAPPING.mappings.properties, text_dense: passagesField(vectorField("float", 1_024)) },
  },
};

const KNN = { knn: { text_dense: { vector: "[text_dense]", k: 50 } } };
const TOKENS = { bool: { should: "[text_sparse]" } };

interface Shown extends TestHit {
  highlight?: Record<string, string[]>;
  passages?: Record<string, { start: number; end: number }>;
}

for (const cluster of await clusters()) {
  const [parts, whole] = [uniqueIndex("passages"), uniqueIndex("whole")];
  const of = (chunking?: typeof CHUNKING) =>
    [DENSE, SPARSE].flatMap((mapping) => (mapping ? [{ ...mapping, ...(chunking && { chunking }) }] : []));
  const gateway = await startGateway({
    node: cluster.url,
    settings: {
      indexes: [
        hybridIndex(parts, { embedding_mappings: of(CHUNKING) }),
        // An index that was created before `chunking:` was configured keeps one vector for each document.
        hybridIndex(whole, { embedding_mappings: of() }),
      ],
    },
  });
  test.before.each(() => control.reset());

  const write = async (index: string, bulk_request: object[]) => {
    const { status, body } = await gateway.post("/application/bulk", { index, bulk_request, refresh: true });
    assert.is(status, 200, JSON.stringify(body).slice(0, 500));
    assert.is(body.index_response.errors, false, JSON.stringify(body).slice(0, 800));
    return body;
  };
  const search = async (index: string, search_query: string, template: object) => {
    const { status, body, text } = await gateway.post("/application/hybrid-search", {
      index,
      search_query,
      search_request_template: template,
    });
    assert.is(status, 200, text.slice(0, 800));
    assert.is(body.degraded, undefined, text.slice(-500));
    return body.search_response.hits.hits as Shown[];
  };
  const embedded = () => control.served("dense_large_en_v1_5").flatMap(({ texts }) => texts);
  const textOf = (id: string) => LONG.find((one) => one.id === id)?.text ?? "";

  test(`${cluster.version}: finds what stands after the model's limit, by dense and by sparse passages`, async () => {
    await request(cluster, "PUT", `/${parts}`, PASSAGES);
    await request(cluster, "PUT", `/${whole}`, HYBRID_MAPPING);
    const recall = async (index: string, query: object) => {
      const found = await concurrently(LONG.slice(0, SEARCHED), 4, async ({ id, evidence }) => {
        const hits = await search(index, evidence, { size: 10, query: { hybrid: { queries: [query] } } });
        assert.is(new Set(hits.map(({ _id }) => _id)).size, hits.length, "no document twice");
        return hits.some(({ _id }) => _id === id);
      });
      return found.filter(Boolean).length / SEARCHED;
    };
    for (const index of [parts, whole]) {
      for (let at = 0; at < LONG.length; at += 40) {
        const documents = LONG.slice(at, at + 40);
        await write(
          index,
          documents.map(({ id, text }) => ({ id, op: "index", doc: { text, year: Number(id.slice(1)) } })),
        );
      }
    }
    for (const query of [KNN, TOKENS]) {
      const [before, after] = [await recall(whole, query), await recall(parts, query)];
      assert.ok(after >= 0.9, `recall ${after}`);
      assert.ok(before <= 0.3, `recall without passages ${before}`);
    }
  });

  test(`${cluster.version}: pages are disjoint, filters hold, and no answer shows vectors`, async () => {
    const queries = [{ match: { text: LONG[3]?.evidence } }, KNN, TOKENS];
    const pages: string[][] = [];
    for (let from = 0; from < 42; from += 7) {
      const hits = await search(parts, LONG[3]?.evidence ?? "", { from, size: 7, query: { hybrid: { queries } } });
      for (const { _source } of hits) assert.equal(Object.keys(_source).sort(), ["text", "year"]);
      pages.push(hits.map(({ _id }) => _id));
    }
    const all = pages.flat();
    assert.is(all.length, 42);
    assert.is(new Set(all).size, 42);
    assert.is(all[0], "d3");
    const filter = { range: { year: { lt: 10 } } };
    const filteredBy = (own: object) => ({ knn: { text_dense: { vector: "[text_dense]", k: 100, filter: own } } });
    const found = async (hybrid: object) => search(parts, LONG[3]?.evidence ?? "", { size: 50, query: { hybrid } });
    assert.is((await found({ queries: [filteredBy(filter)] })).length, 10);
    assert.is((await found({ filter, queries: [KNN] })).length, 10);
    const nested = { nested: { path: "text_dense", query: { match_all: {} } } };
    const word = (LONG[3]?.text ?? "").split(/\W+/).toSorted((a, b) => b.length - a.length)[0] ?? "";
    const anyCase = { term: { text: { value: word.toUpperCase(), case_insensitive: true } } };
    for (const own of [[nested, { term: { year: 3 } }], [nested, filter], [anyCase]]) {
      const bool = { filter: own };
      const path = `/${parts}/_search`;
      const search = { size: 50, query: { bool }, _source: false };
      const { body: matching } = await request<{ hits: { hits: TestHit[] } }>(cluster, "POST", path, search);
      const ids = (hits: ReadonlyArray<{ _id: string }>) => hits.map(({ _id }) => _id).toSorted();
      const expected = ids(matching.hits.hits);
      assert.ok(expected.length > 0, JSON.stringify(own));
      assert.equal(ids(await found({ queries: [filteredBy({ bool })] })), expected, JSON.stringify(own));
    }
    const late = { range: { year: { gte: 10 } } };
    for (const own of [{ bool: { must_not: [late] } }, { bool: { filter: [filter, { exists: { field: "text" } }] } }]) {
      const years = (await found({ queries: [filteredBy(own)] })).map(({ _source }) => Number(_source.year));
      assert.ok(years.length > 0 && years.every((year) => year < 10), `${JSON.stringify(own)}: ${years}`);
    }
    const candidates = {
      index: parts,
      search_query: "salt",
      search_request_template: { query: { hybrid: { queries: [KNN] } } },
    };
    assert.is((await gateway.post("/application/hybrid-search/candidates", candidates)).status, 200);
    const { body, text } = await gateway.post("/application/hybrid-search", {
      index: parts,
      search_query: LONG[3]?.evidence,
      search_request_template: {
        query: { hybrid: { queries } },
        aggs: { best: { top_hits: { size: 1 } } },
        explain: true,
        min_score: 0.0001,
      },
    });
    assert.is(body.search_response.hits.hits[0]?._id, "d3", text.slice(0, 300));
    assert.not.match(JSON.stringify(body.search_response), '"vector"');
  });

  test(`${cluster.version}: shows the best passage of each hit as a highlight with its place`, async () => {
    const template = {
      size: 5,
      query: { hybrid: { queries: [{ match: { text: LONG[5]?.evidence } }, KNN] } },
      highlight: { fields: { text_dense: {}, text: { number_of_fragments: 1 } } },
    };
    const shown = await search(parts, LONG[5]?.evidence ?? "", template);
    const [first] = shown as [Shown];
    assert.is(first._id, "d5");
    assert.ok(first.highlight?.text_dense?.[0]?.includes(LONG[5]?.evidence ?? "?"));
    assert.is(first.highlight?.text?.length, 1, "the caller's own highlight stays");
    assert.is(shown.length, 5);
    for (const { _id, highlight, passages } of shown) {
      const { start = 0, end = 0 } = passages?.text_dense ?? {};
      assert.is(textOf(_id).slice(start, end), highlight?.text_dense?.[0]);
    }
    const alone = await search(parts, LONG[5]?.evidence ?? "", {
      ...template,
      highlight: { fields: [{ text_dense: {} }] },
    });
    assert.equal(alone[0]?.passages, first.passages);
    // A text that was changed past the gateway has no passages of its own.
    await request(cluster, "POST", `/${parts}/_update/d5?refresh=true`, { doc: { text: "something else" } });
    const onlyKnn = { ...template, size: 20, query: { hybrid: { queries: [KNN] } } };
    const changed = (await search(parts, LONG[5]?.evidence ?? "", onlyKnn)).find(({ _id }) => _id === "d5");
    assert.ok(changed);
    assert.is(changed.passages, undefined);
    await write(parts, [{ id: "d5", op: "index", doc: { text: textOf("d5"), year: 5 } }]);
  });

  test(`${cluster.version}: an update embeds the passages that it changes, and no others`, async () => {
    const text = textOf("d7");
    const { body: before } = await request<{ _source: { text_dense: Array<Record<string, unknown>> } }>(
      cluster,
      "GET",
      `/${parts}/_doc/d7`,
    );
    const stored = before._source.text_dense;
    assert.ok(stored.length >= 3);
    // A word at the end, which stands in no overlap.
    const changed = text.replace(/\w+\.$/, "lighthouse.");
    control.reset();
    await write(parts, [{ id: "d7", op: "update", doc: { text: changed } }]);
    assert.is(embedded().length, 1, "one passage is embedded");
    assert.ok(embedded()[0]?.endsWith("lighthouse."));
    const { body: after } = await request<typeof before>(cluster, "GET", `/${parts}/_doc/d7`);
    assert.equal(after._source.text_dense.slice(0, -1), stored.slice(0, -1));
    assert.not.equal(after._source.text_dense.at(-1), stored.at(-1));

    control.reset();
    await write(parts, [{ id: "d7", op: "update", doc: { text: changed, year: 7 } }]);
    assert.is(embedded().length, 0, "the same text needs no model");
    await write(parts, [{ id: "d7", op: "update", doc: { year: 8 } }]);
    assert.is(embedded().length, 0);
  });

  test(`${cluster.version}: documents without text have no passages, and short ones have one`, async () => {
    await write(parts, [
      { id: "none", op: "index", doc: { year: 1 } },
      { id: "null", op: "index", doc: { text: null } },
      { id: "short", op: "index", doc: { text: " A short text. " } },
      { id: "new", op: "update", doc_as_upsert: true, doc: { text: "made by an update" } },
      { id: "emptied", op: "index", doc: { text: "some text" } },
      { id: "emptied", op: "update", doc: { text: "" } },
    ]);
    const passages = async (id: string) => {
      const { body } = await request<{ _source: { text_dense?: Array<Record<string, unknown>> | null } }>(
        cluster,
        "GET",
        `/${parts}/_doc/${id}`,
      );
      return body._source.text_dense?.map(({ start, end }) => [start, end]);
    };
    assert.is(await passages("none"), undefined);
    assert.is(await passages("null"), undefined);
    assert.equal(await passages("short"), [[1, 14]]);
    assert.equal(await passages("new"), [[0, 17]]);
    assert.is(await passages("emptied"), undefined);
  });
}

test.after(stopStarted);

test.run();
