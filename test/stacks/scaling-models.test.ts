import * as assert from "uvu/assert";
import { type Change, configuration, discoveryOf } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { example, type Stack, synth } from "./support.ts";

const test = suite("stacks: models that scale");

const all = example("search-gateway", "all-options");
const type = (value: string): Change => ["model.yaml", ["sparse_v3", "instance_type"], value];
const endpointOf = (stack: Stack) => stack.resource("aws_sagemaker_endpoint", "sparse_v3-0d6e4079-endpoint").name;

test("makes a new endpoint beside a scaling one for another instance type, and updates one that does not scale", () => {
  const larger = example("search-gateway", "all-options", [type("ml.c6i.4xlarge")]);
  assert.is.not(endpointOf(larger), endpointOf(all));
  const fixed: Change = ["model.yaml", ["sparse_v3", "max_instance_count"], undefined];
  const [small, large] = [[fixed], [fixed, type("ml.c6i.4xlarge")]].map((changes) =>
    endpointOf(example("search-gateway", "all-options", changes)),
  );
  assert.equal([small, large], ["all-options-sparse-v3-0d6e4079", "all-options-sparse-v3-0d6e4079"]);
  assert.is.not(endpointOf(all), small);
});

test("keeps the old endpoint scaling, logging and callable until the function calls the new one", () => {
  for (const [kind, id] of [
    ["aws_appautoscaling_target", "scaling"],
    ["aws_appautoscaling_policy", "scaling-policy"],
  ] as const) {
    const { lifecycle } = all.resource(kind, `sparse_v3-0d6e4079-${id}`);
    assert.equal(lifecycle, { create_before_destroy: true }, kind);
  }
  const group = all.resource<{ name: string }>("aws_cloudwatch_log_group", "sparse_v3-0d6e4079-log").name;
  assert.is(group, `/aws/sagemaker/Endpoints/${endpointOf(all)}`);
  const policy = (id: string) => JSON.stringify(all.resource("aws_iam_role_policy", id));
  assert.match(policy("sagemaker-policy"), "log-group:/aws/sagemaker/Endpoints/all-options-sparse-v3*:*");
  assert.match(policy("api-router-policy"), ":endpoint/all-options-sparse-v3*");
});

interface Configuration {
  name: string;
  production_variants: Array<{ initial_instance_count: number }>;
  lifecycle: unknown;
}
const configurationOf = (stack: Stack) =>
  stack.resource<Configuration>("aws_sagemaker_endpoint_configuration", "sparse_v3-0d6e4079-configuration");

test("starts a new configuration with the instances that a scaled-out endpoint has, and changes nothing for them alone", () => {
  const config = configuration("all-options");
  const scaled = (running: number) => {
    const discovery = discoveryOf(config);
    assert.ok(discovery.searchGateway);
    discovery.searchGateway.runningInstances = { "sparse_v3-0d6e4079": running };
    return configurationOf(synth("search-gateway", { config, discovery }));
  };
  const starts = (running: number) => scaled(running).production_variants[0]?.initial_instance_count;
  assert.equal([1, 3, 9].map(starts), [2, 3, 4]);
  assert.is(scaled(3).name, configurationOf(all).name);
  assert.equal(scaled(3).lifecycle, {
    create_before_destroy: true,
    ignore_changes: ["production_variants[0].initial_instance_count"],
  });
});

test.run();
