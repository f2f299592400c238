import * as assert from "uvu/assert";
import { RECIPE_KINDS } from "../../../lib/platform/contract/recommendation.ts";
import { recipeOf } from "../../../lib/settings/campaign-settings.ts";
import { clusterUrl } from "../../../lib/settings/cluster-address.ts";
import { suite } from "../../suite.ts";
import { changed, type Files, filledExample, fullExample, valid } from "./example.ts";

const test = suite("what a configuration becomes");

const full = fullExample();

test("defaults are filled in", () => {
  const { project, api, searchGateway, recommendation } = valid(defaults());
  assert.equal(project.terraform, { provider: 5, state: { type: "local" } });
  const own = { lambda_runtime: "nodejs22.x", log_retention_days: 30, role_path: "/" };
  assert.equal(project.aws, { region_name: "eu-west-1", tags: {}, ...own });
  assert.is(searchGateway?.vpc.create_endpoints, true);
  assert.is(searchGateway?.opensearch.max_bulk_bytes, 8 * 1024 * 1024);
  assert.is(searchGateway?.domainNameSystem?.create_dns_record, true);
  assert.equal(api.personalized_ranking, { weight: 0.5, window: 100, timeout_ms: 1_000, item_id_field: "_id" });
  assert.equal(api.logging, { retention_days: 90, user_id: "plain", query_text: true });
  assert.equal(api.raw_backend, {});
  assert.equal(api.throttle, {});
  assert.is(searchGateway?.hybridQueries[0]?.candidates, 100);
  assert.equal(searchGateway?.hybridQueries[0]?.on_embedding_failure, { write: "fail", query: "degrade" });
  assert.is(searchGateway?.models.sparse_v3?.prune_ratio, 0.1);
  const { recipes, metric_gate } = recommendation?.solution ?? {};
  assert.equal(Object.keys(recipes ?? {}).length, 3);
  assert.equal(metric_gate, { tolerance: 0.1, strict: false });
  assert.equal(recommendation?.etl.item.joins, [{ field: "TEXTUAL_FIELD", columns: ["TITLE"], separator: " " }]);
});

test("a recipe without parameters is the newest; a setting that only the one before has chooses that one", () => {
  const recipesIn = (...changes: (readonly [string, readonly (string | number)[], unknown])[]) => {
    const files = changes.reduce((all, change) => changed(all, ...change), defaults());
    const { recommendation } = valid(files);
    assert.ok(recommendation);
    return RECIPE_KINDS.map((kind) => recipeOf(recommendation, kind));
  };
  const sims = { name: "aws-sims" };
  assert.equal(recipesIn(), [
    { name: "aws-user-personalization", because: "the parameter hidden_dimension" },
    sims,
    { name: "aws-personalized-ranking", because: "the parameter bptt" },
  ]);
  const without = (kind: string) => ["solution.yaml", ["recipes", kind, "parameters"], undefined] as const;
  const bare = [without("user_personalization"), without("personalized_ranking")] as const;
  const newest = { name: "aws-user-personalization-v2" };
  assert.equal(recipesIn(...bare), [newest, sims, { name: "aws-personalized-ranking-v2" }]);
  const bias = [{ name: "apply_recency_bias", value: false }];
  assert.equal(recipesIn(["solution.yaml", ["recipes", "user_personalization", "parameters"], bias])[0], newest);
  const exploring = ["campaigns", "user_personalization", "item_exploration_config"] as const;
  assert.equal(recipesIn(...bare, ["campaign.yaml", exploring, { exploration_weight: 0.7 }])[0], {
    name: "aws-user-personalization",
    because: "item_exploration_config",
  });
});

function defaults(): Files {
  return [
    ["api.yaml", ["raw_backend"]] as const,
    ["solution.yaml", ["recipes", "similar_items", "recipe_name"]] as const,
  ].reduce((files, [file, path]) => changed(files, file, path, undefined), filledExample());
}

test("a service that is not enabled is undefined", () => {
  const gateway = valid(changed(full, "project.yaml", ["personalize"], undefined));
  assert.is(gateway.recommendation, undefined);
  const withoutVpc = changed(full, "project.yaml", ["vpc"], undefined);
  const recommendation = valid(changed(withoutVpc, "project.yaml", ["opensearch"], undefined));
  assert.is(recommendation.searchGateway, undefined);
});

test("a recommendation service alone needs no api.yaml and gets its defaults", () => {
  const withoutVpc = changed(full, "project.yaml", ["vpc"], undefined);
  const { "api.yaml": _, ...files } = changed(withoutVpc, "project.yaml", ["opensearch"], undefined);
  assert.equal(valid(files).api.throttle, {});
});

test("the texts of the files are kept unchanged", () => {
  assert.equal(valid(full).files, full);
});

test("the cluster's address is an origin", () => {
  assert.is(clusterUrl("vpc-a.eu-west-1.es.amazonaws.com"), "https://vpc-a.eu-west-1.es.amazonaws.com");
  assert.is(clusterUrl("https://search.example.org/"), "https://search.example.org");
  assert.is(clusterUrl("http://127.0.0.1:9200"), "http://127.0.0.1:9200");
});

test.run();
