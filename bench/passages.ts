import { CHUNKING, passagesField } from "../lib/config/passage-fields.ts";
import { vectorField } from "../lib/config/vectors.ts";
import type { ProxyHandler } from "../lib/core/http/event.ts";
import { concurrently } from "../lib/core/resilience/concurrently.ts";
import { OPENSEARCH_VERSIONS, type OpenSearchVersion } from "../local/opensearch/versions.ts";
import { HYBRID_MAPPING, hybridIndex, startUpstreams } from "../test/fixtures/gateway.ts";
import { plantedEvidence } from "../test/fixtures/planted-evidence.ts";
import { direct, invoke, loadGateway, startCluster } from "./gateway-setup.ts";
import { type Benchmark, load, type Row, wantedKinds } from "./result.ts";

const DOCUMENTS = Number(process.env.BENCH_DOCUMENTS ?? 1_000);
/** Documents whose evidence is searched for. */
const SEARCHED = Math.min(200, DOCUMENTS);
const WRITTEN_AT_ONCE = 10;
const PAGE = 10;
const PAGES = 5;

/**
 * How far the approximate search looks. The evidence has nothing in common with other documents, so that no neighbour in the
 * graph leads to it: the worst case of HNSW.
 */
const K = { usual: 100, far: 500 };
const dense = (k: number) => ({ knn: { text_dense: { vector: "[text_dense]", k } } });
const SUBQUERIES = { dense: dense(K.far), sparse: { bool: { should: "[text_sparse]" } } };

const [PARTS, WHOLE] = ["bench-passages", "bench-whole"];
const MAPPINGS = hybridIndex("").embedding_mappings;
const PASSAGES = {
  ...HYBRID_MAPPING,
  mappings: {
    properties: { ...HYBRID_MAPPING.mappings.properties, text_dense: passagesField(vectorField("float", 1_024)) },
  },
};

type Upstreams = Awaited<ReturnType<typeof startUpstreams>>;

/** Searches documents for evidence behind the model's limit, with passages and without, on both versions. */
export const passagesBenchmark: Benchmark = {
  name: "passages",
  async run(): Promise<Row[]> {
    const upstreams = await startUpstreams({ asRoot: true });
    try {
      const rows: Row[] = [];
      for (const version of wantedKinds(OPENSEARCH_VERSIONS)) rows.push(...(await measured(version, upstreams)));
      return rows;
    } finally {
      await upstreams.stop();
    }
  },
};

async function measured(version: OpenSearchVersion, { models: { control } }: Upstreams): Promise<Row[]> {
  const documents = plantedEvidence(DOCUMENTS);
  const cluster = await startCluster(version);
  try {
    const parts = hybridIndex(PARTS, { embedding_mappings: MAPPINGS.map((one) => ({ ...one, chunking: CHUNKING })) });
    const handler = await loadGateway(cluster.url, { indexes: [parts, hybridIndex(WHOLE)] });
    await direct(cluster.url, "PUT", `/${PARTS}`, JSON.stringify(PASSAGES));
    await direct(cluster.url, "PUT", `/${WHOLE}`, JSON.stringify(HYBRID_MAPPING));
    const started = performance.now();
    for (const index of [WHOLE, PARTS]) {
      for (let at = 0; at < DOCUMENTS; at += WRITTEN_AT_ONCE) {
        const some = documents.slice(at, at + WRITTEN_AT_ONCE);
        await write(
          handler,
          index,
          some.map(({ id, text }) => ({ id, op: "index", doc: { text } })),
        );
      }
      // With one segment the graph is as large as it gets, and no merge changes it between two pages.
      await direct(cluster.url, "POST", `/${index}/_forcemerge?max_num_segments=1`);
      await direct(cluster.url, "POST", `/${index}/_refresh`);
    }
    const seconds = (performance.now() - started) / 1_000;
    let twice = 0;
    const recall = async (index: string, subquery: object) => {
      const found = await concurrently(documents.slice(0, SEARCHED), 4, async ({ id, evidence }) => {
        const hits = await search(handler, index, evidence, [subquery]);
        twice += hits.length - new Set(hits).size;
        return hits.includes(id);
      });
      return found.filter(Boolean).length / SEARCHED;
    };
    const usual = await recall(PARTS, dense(K.usual));
    const notes = { dense: ` With \`k\` ${K.far}; ${usual.toFixed(3)} with ${K.usual}.`, sparse: "" };
    const rows: Array<Omit<Row, "kind">> = [];
    for (const kind of ["dense", "sparse"] as const) {
      const subquery = SUBQUERIES[kind];
      const [without, reached] = [await recall(WHOLE, subquery), await recall(PARTS, subquery)];
      rows.push({
        what: `recall@10 of evidence after token 512 in ${DOCUMENTS.toLocaleString("en")} documents, ${kind} passages, on OpenSearch ${version}`,
        budget: "≥ 0.9",
        reached: reached.toFixed(3),
        kept: reached >= 0.9,
        note: `${without.toFixed(3)} without \`chunking\`; ${SEARCHED} queries; both indexes written in ${seconds.toFixed(0)} s.${notes[kind]} ${load()}`,
      });
    }
    const across = await doublesAcrossPages(handler, documents.slice(0, 20));
    const changed = documents[0]?.text.replace(/\w+\.$/, "lighthouse.") ?? "";
    control.reset();
    await write(handler, PARTS, [{ id: "d0", op: "update", doc: { text: changed } }]);
    const embedded = control.served("dense_large_en_v1_5").flatMap(({ texts }) => texts).length;
    rows.push(
      {
        what: `documents that an answer, or ${PAGES} pages of one search, have twice, on OpenSearch ${version}`,
        budget: "0",
        reached: String(twice + across),
        kept: twice + across === 0,
        note: `${5 * SEARCHED} answers, and ${PAGES} pages of ${PAGE} hits of 20 searches with a lexical, a dense and a sparse subquery`,
      },
      {
        what: `passages that an update of one passage embeds, on OpenSearch ${version}`,
        budget: "1",
        reached: String(embedded),
        kept: embedded === 1,
        note: "texts of the calls of the dense model",
      },
    );
    return rows.map((row) => ({ ...row, kind: version }));
  } finally {
    await cluster.stop();
  }
}

/** Returns how many documents of searches are on more than one page. */
async function doublesAcrossPages(handler: ProxyHandler, some: ReadonlyArray<{ evidence: string }>): Promise<number> {
  let doubles = 0;
  for (const { evidence } of some) {
    const subqueries = [{ match: { text: evidence } }, ...Object.values(SUBQUERIES)];
    const hits: string[] = [];
    for (let page = 0; page < PAGES; page += 1) {
      hits.push(...(await search(handler, PARTS, evidence, subqueries, page * PAGE)));
    }
    doubles += hits.length - new Set(hits).size;
  }
  return doubles;
}

async function write(handler: ProxyHandler, index: string, bulk_request: object[]): Promise<void> {
  const body = JSON.stringify({ index, bulk_request });
  const answer = (await invoke(handler, "POST", "/application/bulk", body)) as { index_response: { errors: boolean } };
  if (answer.index_response.errors) throw new Error(`${index} rejected documents: ${JSON.stringify(answer)}`);
}

interface Answer {
  degraded?: unknown;
  search_response: { hits: { hits: Array<{ _id: string }> } };
}

/** Returns the ids of a page of a hybrid search. */
async function search(
  handler: ProxyHandler,
  index: string,
  search_query: string,
  queries: object[],
  from = 0,
): Promise<string[]> {
  const search_request_template = { from, size: PAGE, _source: false, query: { hybrid: { queries } } };
  const body = JSON.stringify({ index, search_query, search_request_template });
  const { degraded, search_response } = (await invoke(handler, "POST", "/application/hybrid-search", body)) as Answer;
  if (degraded) throw new Error(`a search of ${index} is degraded: ${JSON.stringify(degraded)}`);
  return search_response.hits.hits.map(({ _id }) => _id);
}
