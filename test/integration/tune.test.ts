import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { seeded } from "../../lib/platform/statistics/random.ts";
import { capabilitiesOf } from "../../lib/search/opensearch/capabilities-of.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { techniquesOf, weightGrid } from "../../packages/lab/tuning/settings.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { runHere } from "../cli/run-here.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { hybridIndex, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { toGateway } from "../fixtures/index-cli.ts";
import { type Cluster, clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("relevance tune against a cluster");
const folder = scratchFolder(TEST_OUTPUT, "tune");
test.after(stopStarted);

const QUERIES = Array.from({ length: 24 }, (_, index) => `topic${index}`);
const SUBQUERIES = ["title", "body", "notes"];
const SHARED = "sea storm sail dune sand camel tower street well".split(" ");

/**
 * Returns documents about one topic each. The title names the topic more often in more relevant documents; the other
 * fields name it a random number of times.
 */
function documents() {
  const random = seeded(5);
  const often = (count: number, topic: string) =>
    [...Array<string>(count).fill(topic), ...Array.from({ length: 12 }, () => SHARED[Math.floor(random() * 9)])].join(
      " ",
    );
  return QUERIES.flatMap((topic) =>
    Array.from({ length: 20 }, (_, number) => {
      const grade = number % 4;
      const chance = () => 1 + Math.floor(random() * 5);
      return {
        id: `${topic}-${number}`,
        topic,
        grade,
        source: {
          title: often(1 + grade, topic),
          body: often(chance(), topic),
          notes: often(chance(), topic),
          sold: 100 * grade,
        },
      };
    }),
  );
}

const DOCUMENTS = documents();
const judgments = join(folder, "judgments.csv");
writeFileSync(
  judgments,
  `query,doc,grade\n${DOCUMENTS.map(({ id, topic, grade }) => `${topic},${id},${grade}\n`).join("")}`,
);

const SHARDS = 3;

/** Returns how many searches the shards of an index have run. */
async function shardSearches(cluster: Cluster, index: string): Promise<number> {
  const { body } = await request<Stats>(cluster, "GET", `/${index}/_stats/search`);
  return body._all.total.search.query_total;
}

interface Stats {
  _all: { total: { search: { query_total: number } } };
}

for (const cluster of await clusters()) {
  const index = uniqueIndex("tune");
  const conf = join(folder, cluster.version);
  const yaml = join(conf, "hybrid_search.yaml");
  const template = {
    query: { hybrid: { queries: SUBQUERIES.map((subquery) => ({ match: { [subquery]: "[search_query]" } })) } },
  };
  const written = () => loadConfiguration(conf).searchGateway?.hybridQueries ?? [];
  const start = (indexes = [hybridIndex(index)]) => startGateway({ node: cluster.url, settings: { indexes } });
  /** Runs a command with settings, and returns what it says as JSON. */
  const run = async (url: string, settings: readonly object[], ...command: string[]) => {
    const file = join(conf, "settings.yaml");
    writeFileSync(file, JSON.stringify({ index, template, settings }));
    const args = [...command, "--settings", file, "--judgments", judgments, "--json", ...toGateway(conf, url)];
    const { code, out, err } = await runHere(args);
    assert.is(code, 0, err);
    return JSON.parse(out);
  };
  const measured = async ({ url }: TestGateway): Promise<number> =>
    (await run(url, [{ name: "default" }], "evaluate")).settings[0].scores["ndcg@10"].mean.mean;

  test.before(async () => {
    await request(cluster, "PUT", `/${index}`, { settings: { number_of_shards: SHARDS, number_of_replicas: 0 } });
    const lines = DOCUMENTS.flatMap(({ id, source }) => [{ index: { _id: id } }, source]);
    await request(
      cluster,
      "POST",
      `/${index}/_bulk?refresh=true`,
      `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`,
    );
    cpSync(join(ROOT, "test/fixtures/configurations/all-options"), conf, { recursive: true });
  });
  test.before.each(() => {
    const mapping = "{embedding_field: v, model_name: dense_large_en_v1_5, src_fields: [title]}";
    writeFileSync(yaml, `hybrid_queries:\n  - index: ${index} # ours\n    embedding_mappings: [${mapping}]\n`);
  });

  test(`${cluster.version}: searches with the settings that tune writes are as good as tune says`, async () => {
    const gateway = await start();
    const untouched = await shardSearches(cluster, index);
    const tuning = await run(gateway.url, [{ name: "default" }], "tune", "--write", "--candidates", "30");
    const searches = (await shardSearches(cluster, index)) - untouched;
    assert.is(searches, QUERIES.length * SUBQUERIES.length * SHARDS);
    // A grid in steps of 0.05 would search every shard once for each setting and query.
    const techniques = techniquesOf(capabilitiesOf(cluster.version));
    const settingsOfGrid = techniques.flatMap(({ weighted }) =>
      weighted ? weightGrid(SUBQUERIES.length, 20) : [null],
    );
    const searchesOfGrid = settingsOfGrid.length * QUERIES.length * SHARDS;
    assert.ok(searches <= 0.01 * searchesOfGrid, `${searches} searches of shards, ${searchesOfGrid} of a grid`);
    assert.ok(tuning.isReal, JSON.stringify(tuning));
    assert.match(readFileSync(yaml, "utf8"), `index: ${index} # ours`);
    const valid = await runHere(["validate", "--conf", conf]);
    assert.is(valid.code, 0, valid.err);
    const indexes = written();
    const weights = indexes[0]?.settings.weights ?? [];
    assert.equal(weights, tuning.best.weights);
    assert.ok((weights[0] ?? 0) > 0.6, JSON.stringify(tuning.best));

    const before = await measured(gateway);
    assert.ok(Math.abs(before - tuning.current) < 1e-9, `${before}, tune said ${tuning.current}`);
    const tuned = await start([...indexes]);
    const after = await measured(tuned);
    assert.ok(Math.abs(after - tuning.tuned) < 1e-9, `${after}, tune said ${tuning.tuned}`);
    assert.ok(after > before + 0.05, `${before}, then ${after}`);
  });

  test(`${cluster.version}: preview shows what a boost moves, and tune writes the boost that it measured`, async () => {
    const boost = { factors: [{ field: "sold", number: { function: "sqrt", cap: 300 } }] };
    const gateway = await start();
    const settings = [{ name: "now" }, { name: "boosted", boost }];
    const { queries, totals } = await run(gateway.url, settings, "preview");
    assert.ok(totals.better > QUERIES.length / 2, JSON.stringify(totals));
    const changed = queries.filter(({ moved }: { moved: boolean }) => moved).length;
    assert.ok(changed > QUERIES.length / 2, JSON.stringify(queries));
    const tuning = await run(gateway.url, settings.slice(1), "tune", "--write");
    assert.ok(tuning.isReal, JSON.stringify(tuning));
    const indexes = written();
    assert.equal(indexes[0]?.boost, tuning.best);
    const boosted = await measured(await start([...indexes]));
    assert.ok(Math.abs(boosted - tuning.tuned) < 1e-9, `${boosted}, tune said ${tuning.tuned}`);
    assert.ok(boosted > (await measured(gateway)) + 0.05);
  });
}

test.run();
