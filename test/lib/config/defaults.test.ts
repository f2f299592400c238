import * as assert from "uvu/assert";
import { clusterUrl } from "../../../lib/config/cluster-address.ts";
import { suite } from "../../suite.ts";
import { changed, type Files, filledExample, fullExample, valid } from "./example.ts";

const test = suite("what a configuration becomes");

const full = fullExample();

test("defaults are filled in", () => {
  const { project, api, searchGateway, recommendation } = valid(defaults());
  assert.equal(project.terraform, { state: { type: "local" } });
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
  assert.is(recipes?.similar_items?.recipe_name, "aws-sims");
  assert.is(recipes?.user_personalization?.recipe_name, "aws-user-personalization");
  assert.is(recipes?.personalized_ranking?.recipe_name, "aws-personalized-ranking");
  assert.equal(metric_gate, { tolerance: 0.1, strict: false });
  assert.equal(recommendation?.etl.item.joins, [{ field: "TEXTUAL_FIELD", columns: ["TITLE"], separator: " " }]);
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
