import * as assert from "uvu/assert";
import { depthOf, hybridBody, pipelineJson } from "../../../../../lib/search/sources/hybrid/body.ts";
import { readTemplate } from "../../../../../lib/search/sources/hybrid/template.ts";
import { suite } from "../../../../suite.ts";

const test = suite("lib/search/sources/hybrid/body");

/** Returns the `_source` of the native body that a template with these members becomes. */
function sourceOf(members: object, embeddings: readonly string[]): unknown {
  const query = { hybrid: { queries: [{ match_all: {} }] } };
  const template = readTemplate(JSON.stringify({ query, ...members }), null);
  const parts = {
    queries: [],
    paginationDepth: undefined,
    pipeline: "{}",
    embeddings,
    passages: new Set<string>(),
    dropProfile: false,
  };
  return JSON.parse(hybridBody(template, parts))._source;
}

test("the embeddings are left out of the hits, unless the template says which source it wants", () => {
  const two = ["vector", "other"];
  assert.equal(sourceOf({}, two), { excludes: ["vector", "other"] });
  assert.equal(sourceOf({ _source: ["vector"] }, two), ["vector"]);
  assert.is(sourceOf({}, []), undefined);
});

const PARTS = { weights: null, sampleFactor: 1, explain: false, responseProcessors: [] };

test("the depth is the number of candidates for every smaller size", () => {
  for (const size of [0, 1, 10, 100]) {
    assert.equal(depthOf(size, 100, 10_000, true), { paginationDepth: 100, sampleFactor: 1 });
  }
});

test("the depth is the size when that is above the number of candidates", () => {
  assert.is(depthOf(300, 100, 10_000, true).paginationDepth, 300);
});

test("the depth stays within the index's result window", () => {
  assert.is(depthOf(300, 100, 250, true).paginationDepth, 250);
});

for (const [size, factor] of [
  [10, 10],
  [30, 3.34],
  [100, 1],
  [300, 1],
  [0, 1],
] as const) {
  test(`below 2.19 a size of ${size} is oversampled ${factor} times`, () => {
    assert.equal(depthOf(size, 100, 10_000, false), { paginationDepth: undefined, sampleFactor: factor });
  });
}

test("the pipeline has the processors in order, the factor as a float", () => {
  assert.is(
    pipelineJson({ normalization: "l2", combination: "harmonic_mean" }, { ...PARTS, weights: [0.4, 0.6] }),
    '{"request_processors":[{"oversample":{"sample_factor":1.0}}],"response_processors":[{"truncate_hits":{}}],' +
      '"phase_results_processors":[{"normalization-processor":{"normalization":{"technique":"l2"},' +
      '"combination":{"technique":"harmonic_mean","parameters":{"weights":[0.4,0.6]}}}}]}',
  );
});

test("whole weights are sent as floats, since the cluster fails on integers", () => {
  const json = pipelineJson({ normalization: "l2", combination: "harmonic_mean" }, { ...PARTS, weights: [0, 1] });
  assert.match(json, '"weights":[0.0,1.0]');
});

test("without weights the pipeline has no parameters", () => {
  assert.not.match(
    pipelineJson({ normalization: "min_max", combination: "arithmetic_mean" }, { ...PARTS, sampleFactor: 1.5 }),
    "parameters",
  );
});

test("the explanation runs before truncation, the caller's own processors last", () => {
  const own = [{ rename_field: { field: "a", target_field: "b" } }];
  const settings = { normalization: "min_max", combination: "arithmetic_mean" } as const;
  const { response_processors } = JSON.parse(
    pipelineJson(settings, { ...PARTS, explain: true, responseProcessors: own }),
  );
  assert.equal(response_processors, [{ hybrid_score_explanation: {} }, { truncate_hits: {} }, ...own]);
});

test.run();
