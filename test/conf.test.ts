import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import type { GenericSchema } from "valibot";
import { ApiSchema } from "../lib/settings/api.ts";
import { FiltersSchema } from "../lib/settings/filter.ts";
import { HybridSearchSchema } from "../lib/settings/hybrid-search.ts";
import { loadConfiguration } from "../lib/settings/load.ts";
import { ModelsSchema } from "../lib/settings/model.ts";
import { PlacementsSchema } from "../lib/settings/placements.ts";
import { ConfigurationError } from "../lib/settings/problem.ts";
import { ProjectSchema } from "../lib/settings/project.ts";
import { RulesSchema } from "../lib/settings/rules.ts";
import { keysOf } from "../lib/settings/shape.ts";
import { CampaignSchema, SolutionSchema } from "../lib/settings/solution.ts";
import { filledExample, fullExample, valid } from "./lib/settings/example.ts";
import { suite } from "./suite.ts";

const test = suite("conf/ and conf.local/");

const SCHEMAS: Record<string, GenericSchema> = {
  "project.yaml": ProjectSchema,
  "api.yaml": ApiSchema,
  "hybrid_search.yaml": HybridSearchSchema,
  "model.yaml": ModelsSchema,
  "rules.yaml": RulesSchema,
  "solution.yaml": SolutionSchema,
  "campaign.yaml": CampaignSchema,
  "filter.yaml": FiltersSchema,
  "recommendation.yaml": PlacementsSchema,
};

test("conf.local/ has no problem and enables both services", () => {
  const configuration = loadConfiguration("conf.local");
  assert.ok(configuration.searchGateway);
  assert.ok(configuration.recommendation);
});

test("conf/ has no problem but its placeholders, each rejected by name", () => {
  try {
    loadConfiguration("conf");
    assert.unreachable("the example is accepted as it is");
  } catch (error) {
    assert.instance(error, ConfigurationError);
    const problems = error instanceof ConfigurationError ? error.problems : [];
    for (const { message } of problems) assert.match(message, /^is still the example value .*: put your own$/);
    assert.equal(
      problems.map(({ path }) => path),
      [
        "vpc.vpc_id",
        "opensearch.domain",
        "opensearch.domain_name",
        "domain_name_system.domain_name",
        "domain_name_system.certificate_arn",
      ],
    );
  }
});

test("conf/ is valid when its placeholders are filled in", () => {
  const configuration = valid(filledExample());
  assert.ok(configuration.searchGateway);
  assert.ok(configuration.recommendation);
});

test("conf/ is valid with every optional line switched on", () => {
  const { project, api, searchGateway } = valid(fullExample());
  assert.is(project.aws.account_id, "123456789012");
  assert.is(project.terraform.state.type, "s3");
  assert.is(project.opensearch?.auth?.type, "basic");
  assert.equal(api.raw_backend.deny, ["* /*/_delete_by_query"]);
  assert.ok(searchGateway?.models.previous);
  assert.is(Object.keys(searchGateway.models).length, 7);
});

for (const [name, schema] of Object.entries(SCHEMAS)) {
  test(`conf/${name} shows each of its keys`, () => {
    // hybrid_search.yaml shows the keys that rules share with it.
    const text = [name, "hybrid_search.yaml"].map((one) => readFileSync(`conf/${one}`, "utf8")).join("\n");
    const absent = keysOf(schema).filter((key) => !new RegExp(`^[\\s#-]*${key}:`, "m").test(text));
    assert.equal(absent, []);
  });
}

test.run();
