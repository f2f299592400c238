import { copyFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ProxyHandler } from "../lib/platform/http/event.ts";
import { MODEL_FILE_NAMES } from "../lib/search/embeddings/model-files.ts";
import { evaluate, type Run } from "../packages/lab/evaluation/evaluate.ts";
import { metricOf } from "../packages/lab/metrics/metric.ts";
import { installModels, REAL_MODELS } from "../packages/local-models/neural/install.ts";
import { createModelProcess } from "../packages/local-models/neural/model-process.ts";
import { createNeuralModels } from "../packages/local-models/neural/models.ts";
import { ROOT } from "../test/fixtures/env.ts";
import { HYBRID_MAPPING, hybridIndex, startUpstreams } from "../test/fixtures/gateway.ts";
import { direct, invoke, loadGateway, startCluster } from "./gateway-setup.ts";
import type { Benchmark, Row } from "./result.ts";
import { readSmart, type SmartCollection } from "./smart-collection.ts";

const INDEX = "bench-collection";

/** Documents of a bulk request: with these models one takes 0.1 s. */
const CHUNK = 32;

const KEYWORD = { match: { text: "[search_query]" } };
const DENSE = { knn: { text_dense: { vector: "[text_dense]", k: 100 } } };
const SPARSE = { bool: { should: "[text_sparse]" } };

/** What is compared, the baseline first. A single subquery is a hybrid query of one, whose order is its own. */
const VARIANTS: Readonly<Record<string, readonly object[]>> = {
  keywords: [KEYWORD],
  dense: [DENSE],
  sparse: [SPARSE],
  "keywords and dense": [KEYWORD, DENSE],
  "keywords and sparse": [KEYWORD, SPARSE],
  "dense and sparse": [DENSE, SPARSE],
  "all three": [KEYWORD, DENSE, SPARSE],
};

const [BASELINE = ""] = Object.keys(VARIANTS);

/** The least nDCG@10 on Cranfield. */
const LEAST = { dense: 0.37, hybrid: 0.41 };

/**
 * Measures what the small real models of `make dev` add to keywords, through the gateway, on a collection of texts:
 * `make bench ARGS=collection COLLECTION=…`, a folder in SMART's format, such as Cranfield's. Hybrids have the default
 * settings, with equal weights.
 */
export const collectionBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const { COLLECTION } = process.env;
    if (COLLECTION === undefined) throw new Error("COLLECTION= names no folder: give that of a collection");
    const installed = await installModels({ dir: join(ROOT, ".local"), onProgress: console.error });
    const running = createModelProcess(installed);
    const models = await createNeuralModels(installed.folder, running, () => () => undefined);
    const upstreams = await startUpstreams({ asRoot: true, dense: models, sparse: models });
    const cluster = await startCluster();
    const writeModelFiles = async (folder: string) => {
      for (const name of MODEL_FILE_NAMES) await copyFile(join(installed.folder, name), join(folder, name));
    };
    try {
      const handler = await loadGateway(cluster.url, { indexes: [hybridIndex(INDEX)] }, {}, writeModelFiles);
      const collection = readSmart(COLLECTION);
      await fill(handler, cluster.url, collection);
      return [await measured(handler, basename(COLLECTION), collection)];
    } finally {
      await cluster.stop();
      await upstreams.stop();
      running.stop();
    }
  },
};

async function fill(handler: ProxyHandler, cluster: string, { documents }: SmartCollection): Promise<void> {
  const { properties, ...others } = HYBRID_MAPPING.mappings;
  const mappings = { ...others, properties: { ...properties, text: { type: "text", analyzer: "english" } } };
  await direct(cluster, "PUT", `/${INDEX}`, JSON.stringify({ ...HYBRID_MAPPING, mappings }));
  const bulk_request = [...documents].map(([id, text]) => ({ id, op: "index", doc: { text } }));
  for (let at = 0; at < bulk_request.length; at += CHUNK) {
    const part = JSON.stringify({ index: INDEX, bulk_request: bulk_request.slice(at, at + CHUNK) });
    await invoke(handler, "POST", "/application/bulk", part);
  }
  await direct(cluster, "POST", `/${INDEX}/_refresh`);
}

async function measured(handler: ProxyHandler, kind: string, collection: SmartCollection): Promise<Row> {
  const queries = [...collection.queries];
  const settings = [];
  for (const [name, subqueries] of Object.entries(VARIANTS)) {
    const runs: Run[] = [];
    for (const [, text] of queries) runs.push(await search(handler, text, subqueries));
    settings.push({ name, runs });
  }
  const judgments = new Map(queries.map(([id, text]) => [text, collection.judgments.get(id) ?? new Map()]));
  const metric = metricOf("ndcg@10");
  const { settings: scored } = evaluate(
    queries.map(([, text]) => text),
    settings,
    judgments,
    metric ? [metric] : [],
  );
  const found = scored.flatMap(({ name, scores: { "ndcg@10": score } }) => (score ? { name, ...score } : []));
  const meanOf = (name: string) => found.find((one) => one.name === name)?.mean.mean ?? 0;
  const hybrids = found.filter(({ name }) => (VARIANTS[name]?.length ?? 0) > 1);
  const [best] = hybrids.sort((one, other) => other.mean.mean - one.mean.mean);
  if (!best) throw new Error("nothing was measured");
  return {
    kind,
    what: `nDCG@10 of the best hybrid search with the small real models of make dev, beside keywords, ${kind}`,
    budget: `dense ≥ ${shown(LEAST.dense)}, hybrid ≥ ${shown(LEAST.hybrid)} and above keywords with its interval`,
    reached: `dense ${shown(meanOf("dense"))}, ${best.name} ${shown(best.mean.mean)}`,
    kept: meanOf("dense") >= LEAST.dense && best.mean.mean >= LEAST.hybrid && best.difference.low > 0,
    note:
      `${collection.documents.size} documents, ${queries.length} queries; ${Object.values(REAL_MODELS).join(" and ")}; ` +
      "keywords with the analyzer english; 95 % intervals of a paired bootstrap",
    details: [
      `| ${kind} | nDCG@10 | difference from ${BASELINE}, 95 % interval |`,
      "|---|---|---|",
      ...found.map(
        ({ name, mean, difference: { mean: by, low, high } }) =>
          `| ${name} | ${shown(mean.mean)} | ${name === BASELINE ? "" : `${signed(by)} (${signed(low)} to ${signed(high)})`} |`,
      ),
    ].join("\n"),
  };
}

async function search(handler: ProxyHandler, text: string, subqueries: readonly object[]): Promise<Run> {
  const template = JSON.stringify({ size: 10, _source: false, query: { hybrid: { queries: subqueries } } });
  const request = {
    index: INDEX,
    search_query: text,
    search_request_template: JSON.parse(template.replaceAll('"[search_query]"', JSON.stringify(text))),
  };
  const started = performance.now();
  const answer = await invoke(handler, "POST", "/application/hybrid-search", JSON.stringify(request));
  const { search_response, degraded = [] } = answer as {
    search_response: { hits: { hits: { _id: string }[] } };
    degraded?: { stage: string }[];
  };
  return {
    ranking: search_response.hits.hits.map(({ _id }) => _id),
    milliseconds: performance.now() - started,
    degraded: degraded.map(({ stage }) => stage),
  };
}

const shown = (value: number): string => value.toFixed(3);
const signed = (value: number): string => (value < 0 ? "" : "+") + shown(value);
