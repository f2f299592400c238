import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { seeded } from "../../lib/platform/statistics/random.ts";
import { plantedQueries } from "../../packages/lab/test/tuning/planted.ts";
import { suite } from "../suite.ts";
import { type Run, relevanceBeside } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance tune");
const folder = mkdtempSync(join(tmpdir(), "tune-"));
const conf = join(folder, "conf");
mkdirSync(conf);

interface CandidatesBody {
  search_query: string;
  search_request_template: { query: { hybrid: { queries: Array<{ knn?: { v: { k: number } } }> } } };
  depth: number;
}

/** A gateway that serves generated candidates by the query's text. */
let planted = new Map<string, ReturnType<typeof plantedQueries>[number]>();
const received: CandidatesBody[] = [];
/** The values of `k` with which the gateway finds nothing. */
let empty: number[] = [];
/** How many connections the gateway closes instead of answering. */
let breaking = 0;
const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    // The key may only search, so the entry is the one of the given name.
    response.writeHead(403, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { code: "forbidden", message: "not for this key" }, status: 403 }));
    return;
  }
  const body: CandidatesBody = JSON.parse((await request.toArray()).join(""));
  if (breaking > 0) {
    breaking -= 1;
    request.socket.destroy();
    return;
  }
  received.push(body);
  const k = body.search_request_template.query.hybrid.queries[1]?.knn?.v.k ?? 0;
  const found = planted.get(body.search_query)?.retrieved.get(null) ?? [];
  const shown = empty.includes(k) ? found.map((subquery) => subquery.map(() => [])) : found;
  const subqueries = shown.map((subquery) => ({
    shards: subquery.map((hits) => ({
      hits: hits.map(({ id, score }) => ({ _index: "books", _id: id, _score: score })),
    })),
  }));
  response.end(JSON.stringify({ opensearch_version: "2.19.6", subqueries }));
});

test.before(() => new Promise<void>((started) => server.listen(0, "127.0.0.1", started)));
test.after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
test.before.each(() => {
  received.length = 0;
  writeFileSync(join(conf, "hybrid_search.yaml"), YAML);
});

const YAML = `# Our books.
hybrid_queries:
  - index: books # since 2024
    embedding_mappings:
      - {embedding_field: v, model_name: dense_large_en_v1_5, src_fields: [text]}
`;
const settings = join(folder, "settings.yaml");
writeFileSync(
  settings,
  `index: books
template:
  query:
    hybrid:
      queries: [{match: {text: "[search_query]"}}, {knn: {v: {vector: "[v]", k: 10}}}, {match_all: {}}]
settings: [{name: default}]
`,
);

function plant(truth: readonly number[], seed: number): string {
  const queries = plantedQueries({ queries: 30, documents: 50, truth, noise: 0.1 }, seeded(seed));
  planted = new Map(queries.map((query) => [query.id, query]));
  const file = join(folder, "judgments.csv");
  const rows = queries.flatMap(({ id, grades }) => Array.from(grades, ([doc, grade]) => `${id},${doc},${grade}\n`));
  writeFileSync(file, `query,doc,grade\n${rows.join("")}`);
  return file;
}

const argsFor = (judgments: string, ...args: string[]) => {
  const { port } = server.address() as AddressInfo;
  const target = ["--api-host", `http://127.0.0.1:${port}`, "--api-key", "k", "--conf", conf];
  return ["tune", "--settings", settings, "--judgments", judgments, ...target, ...args];
};

const run = (judgments: string, ...args: string[]): Promise<Run> => runHere(argsFor(judgments, ...args));

test("finds the planted weights, writes them and keeps the comments", async () => {
  const picture = join(folder, "surface.svg");
  const { out, err, code } = await relevanceBeside(argsFor(plant([0.7, 0.2, 0.1], 1), "--write", "--picture", picture));
  assert.is(code, 0, err);
  assert.match(
    out,
    /\nThe best settings are better by more than noise: by 0\.\d+ ndcg@10 \(95 % interval .*\) on .* From 30 queries\.\n$/,
  );
  const written = readFileSync(join(conf, "hybrid_search.yaml"), "utf8");
  assert.match(written, "# Our books.\nhybrid_queries:\n  - index: books # since 2024\n");
  const [, first = ""] = /settings: \{weights: \[([\d.]+), /.exec(written) ?? [];
  assert.ok(Math.abs(Number(first) - 0.7) < 0.2, written);
  const svg = readFileSync(picture, "utf8");
  assert.match(svg, /^<svg .*<title>ndcg@10 by weights/);
  assert.is(svg.match(/<rect /g)?.length, 66 + 1);
});

test("asks the gateway once for each query, and once more for each other k", async () => {
  const judgments = plant([0.4, 0.3, 0.3], 2);
  const { err, code } = await run(judgments, "--candidates", "20,300");
  assert.is(code, 0, err);
  assert.is(received.length, 30);
  assert.ok(received.every(({ depth }) => depth === 300));
  received.length = 0;
  await run(judgments, "--k", "5,10,50");
  assert.is(received.length, 90);
  const ks = received.map(({ search_request_template: { query } }) => query.hybrid.queries[1]?.knn?.v.k);
  assert.equal([...new Set(ks)].sort(), [10, 5, 50].sort());
});

test("compares other values of k with the template's, and keeps it where they are no better", async () => {
  const judgments = plant([0.7, 0.2, 0.1], 1);
  const own = JSON.parse((await run(judgments, "--json")).out);
  // The gateway finds nothing with these.
  empty = [5];
  const others = JSON.parse((await run(judgments, "--k", "5", "--json")).out);
  assert.is(others.current, own.current);
  assert.is(others.best.k, null);
  empty = [10];
  const better = await run(judgments, "--k", "50", "--write");
  assert.match(better.out, /^current {2}0\.0000 ndcg@10\nbest .* k 50$/m);
  assert.match(
    better.err,
    "k is part of a search template and no setting of an index. The gain was measured with k: 50:",
  );
  empty = [];
});

test("retries when a connection breaks", async () => {
  breaking = 3;
  const { err, code } = await run(plant([0.4, 0.3, 0.3], 2));
  assert.is(code, 0, err);
  assert.equal([breaking, received.length], [0, 30]);
});

test("gives no verdict and writes nothing if too few of the hits are judged", async () => {
  const judgments = plant([0.7, 0.2, 0.1], 1);
  // As clicks do, judges little, and not only what is relevant.
  const [header, ...rows] = readFileSync(judgments, "utf8").split("\n");
  writeFileSync(judgments, [header, ...rows.filter((row) => row.endsWith(",3")), "q0,unseen,0"].join("\n"));
  const { out, err, code } = await run(judgments, "--write");
  assert.is(code, 0, err);
  assert.match(
    out,
    /\nNo verdict: \d+ % of the first hits of the best settings are judged and \d+ % of .* Keep the current settings\.\n$/,
  );
  assert.is(readFileSync(join(conf, "hybrid_search.yaml"), "utf8"), YAML);
});

test("calls no difference clear if there is none, and writes nothing", async () => {
  const { out, code } = await run(plant([0, 0, 0], 3), "--write");
  assert.is(code, 0);
  assert.match(
    out,
    /\nNo clear difference: the gain of -?\d\.\d+ ndcg@10 \(95 % interval .*\) may be noise\. From 30 queries\. Keep the current settings\.\n$/,
  );
  assert.is(readFileSync(join(conf, "hybrid_search.yaml"), "utf8"), YAML);
});

test("refuses too few queries", async () => {
  const file = join(folder, "few.csv");
  writeFileSync(file, "query,doc,grade\nq0,d1,1\n");
  const { code, err } = await run(file);
  assert.is(code, 2);
  assert.match(err, /Tuning needs at least 10 judged queries: the judgments have 1/);
});

test.run();
