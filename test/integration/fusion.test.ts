import * as assert from "uvu/assert";
import type { Combination } from "../../lib/platform/contract/search.ts";
import { seeded, shuffled } from "../../lib/platform/statistics/random.ts";
import { fuse } from "../../lib/search/fusion/fuse.ts";
import { capabilitiesOf } from "../../lib/search/opensearch/capabilities-of.ts";
import type { CandidatesAnswer } from "../../packages/clients/typescript/src/types.ts";
import { techniquesOf } from "../../packages/lab/tuning/settings.ts";
import { candidatesIn } from "../../packages/lab/whereabouts/subquery-places.ts";
import { fillIndex } from "../fixtures/fill-index.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import type { Json } from "../fixtures/gateway-json.ts";
import { clusters, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("our fusion against the cluster's");
await startUpstreams();

const WORDS = "salt harbour storm sail lighthouse tide captain sand caravan dune oasis camel well street tower".split(
  " ",
);
const QUERIES = ["salt harbour lighthouse", "camel well tower", "storm over the dune"];
const DEPTH = 30;

/** Documents on three shards, each with a random number of random words, so that scores differ. */
function documents(count: number) {
  const random = seeded(11);
  const [first, second] = [0, 1].map(() =>
    shuffled(
      Array.from({ length: count }, (_, index) => index + 1),
      random,
    ),
  );
  const word = () => WORDS[Math.floor(random() ** 2 * WORDS.length)] ?? "salt";
  return Array.from({ length: count }, (_, index) => {
    const text = Array.from({ length: 3 + Math.floor(random() * 12) }, word).join(" ");
    return {
      id: `d${index}`,
      doc: {
        text,
        year: 1900 + (index % 100),
        genre: index % 3 ? "sea" : "city",
        first: first?.[index],
        second: second?.[index],
      },
    };
  });
}

const template = (query: string): { size: number; query: { hybrid: { queries: object[] } } } => ({
  size: 100,
  query: {
    hybrid: {
      queries: [
        { match: { text: query } },
        { knn: { text_dense: { vector: "[text_dense]", k: 20 } } },
        { bool: { should: "[text_sparse]", filter: [{ term: { genre: "sea" } }] } },
        { match: { text: { query: "captain sand", boost: 40 } } },
      ],
    },
  },
});

/** Two subqueries whose scores all differ, because the cluster orders equal scores of several shards by unknown numbers. */
const distinct = (): ReturnType<typeof template> => ({
  size: 100,
  query: {
    hybrid: {
      queries: ["first", "second"].map((field, subquery) => ({
        function_score: {
          query: { range: { [field]: subquery === 0 ? { gte: 150 } : { lte: 300 } } },
          field_value_factor: { field },
          boost_mode: "replace",
        },
      })),
    },
  },
});

/** Subqueries whose documents all have the same score, so that nothing but ties decides the order. */
const tied = (): ReturnType<typeof template> => ({
  size: 100,
  query: {
    hybrid: {
      queries: [{ match: { text: "salt" } }, { match: { text: "harbour" } }, { term: { genre: "sea" } }].map(
        (filter) => ({ constant_score: { filter } }),
      ),
    },
  },
});

const WEIGHTS = [null, [0.25, 0.25, 0.25, 0.25], [0.7, 0.1, 0.15, 0.05], [0, 0.5, 0.5, 0], [1, 0, 0, 0]];

function weightings(subqueries: number, combination: Combination, isThree: boolean): Array<number[] | null> {
  if (combination === "rrf" && !isThree) return [null];
  return subqueries === 4 ? WEIGHTS : [null, [0.5, 0.5], [0.9, 0.1], [1, 0]];
}

for (const cluster of await clusters()) {
  const index = uniqueIndex("fusion");
  const isThree = cluster.version.startsWith("3");
  let gateway: TestGateway;

  test.before(async () => {
    gateway = await startGateway({
      node: cluster.url,
      settings: { indexes: [hybridIndex(index, { candidates: DEPTH })] },
    });
    const mapping = structuredClone(HYBRID_MAPPING) as { settings: { index: object } };
    Object.assign(mapping.settings.index, { number_of_shards: 3 });
    await fillIndex(cluster, gateway, index, documents(400), mapping);
  });

  const candidates = async (query: string, search_request_template: object) => {
    const { status, body, text } = await gateway.post<CandidatesAnswer>("/application/hybrid-search/candidates", {
      index,
      search_query: query,
      search_request_template,
      depth: 100,
    });
    assert.is(status, 200, text);
    return candidatesIn(body);
  };

  for (const { normalization, combination } of techniquesOf(capabilitiesOf(cluster.version))) {
    test(`${cluster.version}: ${normalization}, ${combination}: the scores, and the order of unequal scores`, async () => {
      for (const query of QUERIES) {
        const search_request_template = combination === "rrf" && isThree ? distinct() : template(query);
        const { subqueries, globalRanks } = await candidates(query, search_request_template);
        const count = search_request_template.query.hybrid.queries.length;
        assert.equal([subqueries.length, subqueries[0]?.length], [count, 3]);
        for (const weights of weightings(count, combination, isThree)) {
          const { status, body, text } = await gateway.post<Json>("/application/hybrid-search", {
            index,
            search_query: query,
            search_request_template,
            settings: { weights, normalization, combination },
          });
          assert.is(status, 200, text);
          const theirs = body.search_response.hits.hits.map(({ _id, _score }) => ({
            id: _id,
            score: Math.fround(_score ?? 0),
          }));
          const ours = fuse(subqueries, { normalization, combination, weights }, { size: 100_000, globalRanks });
          const scores = new Map(ours.map(({ id, score }) => [id, score]));
          const label = `${query} ${JSON.stringify(weights)}`;
          assert.is(theirs.length, 100, label);
          assert.equal(
            ours.slice(0, 100).map(({ score }) => score),
            theirs.map(({ score }) => score),
            label,
          );
          assert.equal(
            theirs.map(({ id }) => scores.get(id)),
            theirs.map(({ score }) => score),
            label,
          );
        }
      }
    });
  }

  test(`${cluster.version}: the order of equal scores`, async () => {
    const search_request_template = tied();
    const { subqueries, globalRanks } = await candidates("salt", search_request_template);
    for (const weights of [null, [0.5, 0.25, 0.25], [0, 0, 1]]) {
      const settings = { normalization: "min_max", combination: "arithmetic_mean", weights } as const;
      const { body } = await gateway.post<Json>("/application/hybrid-search", {
        index,
        search_query: "salt",
        search_request_template,
        settings,
      });
      const ours = fuse(subqueries, settings, { size: 100, globalRanks });
      assert.ok(new Set(ours.map(({ score }) => score)).size < 10);
      assert.equal(
        ours.map(({ id }) => id),
        body.search_response.hits.hits.map(({ _id }) => _id),
      );
    }
  });
}

test.after(stopStarted);

test.run();
