import * as assert from "uvu/assert";
import {
  type Change,
  configuration as configurationOf,
  discoveryOf,
} from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { example, ref, type Stack, synth } from "./support.ts";

const test = suite("stacks: models");

const all = example("search-gateway", "all-options");

interface Model {
  name: string;
  primary_container: { image: string; environment: Record<string, string>; model_data_source?: unknown };
  lifecycle: unknown;
}
interface Configuration {
  name: string;
  production_variants: Array<{ instance_type: string; initial_instance_count: number }>;
  lifecycle: unknown;
}
/** Returns the id of the only resource of a type that has this name before the hash of the model's vectors. */
const idOf = (stack: Stack, type: string, name: string) => {
  const [id = "", ...more] = stack.ids(type).filter((one) => new RegExp(`^${name}-[0-9a-f]{8}-`).test(one));
  assert.equal(more, []);
  return id;
};
const model = (stack: Stack, name: string) =>
  stack.resource<Model>("aws_sagemaker_model", idOf(stack, "aws_sagemaker_model", name));
const CONFIGURATION = "aws_sagemaker_endpoint_configuration";
const configuration = (stack: Stack, name: string) =>
  stack.resource<Configuration>(CONFIGURATION, idOf(stack, CONFIGURATION, name));

test("pins the GPU image for a GPU family, and sets the dense model's pooling and revision", () => {
  const { image, environment } = model(all, "dense_large_en_v1_5").primary_container;
  assert.is(image, "141502667606.dkr.ecr.eu-west-1.amazonaws.com/tei:2.0.1-tei1.8.2-gpu-py310-cu122-ubuntu22.04");
  assert.equal(environment, {
    AUTO_TRUNCATE: "true",
    HF_MODEL_ID: "BAAI/bge-large-en-v1.5",
    HF_MODEL_REVISION: "d4aa6901d3a41ba39fb536a557fa166f842b0e09",
    MAX_CLIENT_BATCH_SIZE: "32",
    PAYLOAD_LIMIT: "2000000",
    POOLING: "cls",
  });
});

test("uses the CPU image for a CPU family, and sets the sparse model's pooling", () => {
  const { image, environment } = model(all, "sparse_v3").primary_container;
  assert.is(image, "141502667606.dkr.ecr.eu-west-1.amazonaws.com/tei-cpu:2.0.1-tei1.8.2-cpu-py310-ubuntu22.04");
  assert.equal(
    [environment.POOLING, environment.HF_MODEL_ID],
    ["splade", "opensearch-project/opensearch-neural-sparse-encoding-doc-v3-distill"],
  );
});

test("creates endpoints only for the self-hosted models that mappings refer to", () => {
  assert.equal(all.ids("aws_sagemaker_endpoint"), [
    "dense_large_en_v1_5-bc0882c1-endpoint",
    "sparse_v3-0d6e4079-endpoint",
  ]);
  assert.equal(example("search-gateway", "basic-auth").ids("aws_sagemaker_endpoint"), ["sparse_v3-5c3f986b-endpoint"]);
  const hosted = example("search-gateway", "aws-auth");
  assert.equal(
    [hosted.ids("aws_sagemaker_endpoint"), hosted.ids("aws_iam_role").includes("sagemaker-role")],
    [[], false],
  );
});

const type = (value: string): Change => ["model.yaml", ["sparse_v3", "instance_type"], value];

test("renames changed resources and creates them first; a new endpoint only for a changed model", () => {
  const larger = example("search-gateway", "all-options", [type("ml.c6i.4xlarge")]);
  const revised = example("search-gateway", "all-options", [["model.yaml", ["sparse_v3", "revision"], "v2"]]);
  const names = (stack: Stack) => [model(stack, "sparse_v3").name, configuration(stack, "sparse_v3").name];
  const [before, after, again] = [names(all), names(larger), names(revised)];
  assert.is(after[0], before[0]);
  assert.is.not(after[1], before[1]);
  assert.is.not(again[0], before[0]);
  assert.is.not(again[1], before[1]);
  const lifecycle = { create_before_destroy: true };
  assert.equal(model(all, "sparse_v3").lifecycle, lifecycle);
  const ENDPOINT = "aws_sagemaker_endpoint";
  const endpoint = (stack: Stack) => stack.resource(ENDPOINT, idOf(stack, ENDPOINT, "sparse_v3"));
  assert.equal(
    [endpoint(larger).endpoint_config_name, endpoint(larger).lifecycle],
    [ref(`${CONFIGURATION}.sparse_v3-0d6e4079-configuration.name`), lifecycle],
  );
  assert.is.not(endpoint(revised).name, endpoint(all).name);
});

const endpointOf = (stack: Stack) => stack.resource("aws_sagemaker_endpoint", "sparse_v3-0d6e4079-endpoint").name;

test("updates the function only when its endpoints are in service", () => {
  const { depends_on } = all.resource<{ depends_on: string[] }>("aws_lambda_function", "api-router");
  assert.equal(
    depends_on.filter((one) => one.startsWith("aws_sagemaker_endpoint.")),
    [
      "aws_sagemaker_endpoint.dense_large_en_v1_5-bc0882c1-endpoint",
      "aws_sagemaker_endpoint.sparse_v3-0d6e4079-endpoint",
    ],
  );
});

const DATA = "s3://example-models/bge/";
const VPC = { subnet_ids: ["subnet-0a1b2c3d"], security_group_ids: ["sg-0a1b2c3d"] };
const dense = (key: string, value: unknown): Change => ["model.yaml", ["dense_large_en_v1_5", key], value];

test("uses the pinned commit of a built-in model without a revision", () => {
  const stack = example("search-gateway", "all-options", [["model.yaml", ["sparse_v3", "revision"], undefined]]);
  const { environment } = model(stack, "sparse_v3").primary_container;
  assert.is(environment.HF_MODEL_REVISION, "babf71f3c48695e2e53a978208e8aba48335e3c0");
});

test("uses files in S3 and no network with model_data, and makes a new model for other files", () => {
  const stack = example("search-gateway", "all-options", [dense("model_data", DATA), dense("vpc_config", VPC)]);
  const { name, enable_network_isolation, vpc_config, primary_container } = stack.resource<
    Model & Record<string, unknown>
  >("aws_sagemaker_model", idOf(stack, "aws_sagemaker_model", "dense_large_en_v1_5"));
  assert.equal(primary_container, {
    environment: {
      AUTO_TRUNCATE: "true",
      HF_MODEL_ID: "/opt/ml/model",
      MAX_CLIENT_BATCH_SIZE: "32",
      PAYLOAD_LIMIT: "2000000",
      POOLING: "cls",
    },
    image: model(all, "dense_large_en_v1_5").primary_container.image,
    model_data_source: { s3_data_source: [{ s3_uri: DATA, s3_data_type: "S3Prefix", compression_type: "None" }] },
  });
  assert.equal(
    [enable_network_isolation, vpc_config],
    [true, { subnets: VPC.subnet_ids, security_group_ids: VPC.security_group_ids }],
  );
  const other = example("search-gateway", "all-options", [dense("model_data", `${DATA}2/`), dense("vpc_config", VPC)]);
  assert.is.not(model(other, "dense_large_en_v1_5").name, name);
});

test("treats an archive as one object", () => {
  const stack = example("search-gateway", "all-options", [dense("model_data", "s3://example-models/bge.tar.gz")]);
  const { model_data_source } = model(stack, "dense_large_en_v1_5").primary_container;
  assert.equal(model_data_source, {
    s3_data_source: [{ s3_uri: "s3://example-models/bge.tar.gz", s3_data_type: "S3Object", compression_type: "Gzip" }],
  });
});

test("serves the user's own model at its revision, without setting its pooling", () => {
  const stack = example("search-gateway", "all-options", [
    dense("model_id", "intfloat/e5-small-v2"),
    dense("dimension", 384),
  ]);
  const { environment } = model(stack, "dense_large_en_v1_5").primary_container;
  assert.equal(
    [environment.HF_MODEL_ID, environment.HF_MODEL_REVISION, environment.POOLING],
    ["intfloat/e5-small-v2", "d4aa6901d3a41ba39fb536a557fa166f842b0e09", undefined],
  );
});

test("serves a reranker without pooling, which the function may call; its losses have an alarm, and no address moves", () => {
  const reranker = { ...{ model_id: "BAAI/bge-reranker-base", revision: "1" }, initial_instance_count: 1 };
  const stack = example("search-gateway", "all-options", [
    ["model.yaml", ["reranker"], { ...reranker, instance_type: "ml.g5.xlarge" }],
    ["hybrid_search.yaml", ["hybrid_queries", 0, "rerank"], { model: "reranker", fields: ["title"] }],
  ]);
  const { environment } = model(stack, "reranker").primary_container;
  assert.equal(
    [environment.HF_MODEL_ID, environment.HF_MODEL_REVISION, environment.POOLING, environment.MAX_CLIENT_BATCH_SIZE],
    ["BAAI/bge-reranker-base", "1", undefined, "32"],
  );
  const policy = JSON.stringify(stack.resource("aws_iam_role_policy", "api-router-policy"));
  assert.match(policy, "endpoint/all-options-reranker*");
  assert.not.match(policy, "RerankWithHostedModels");
  assert.ok(stack.ids("aws_cloudwatch_metric_alarm").includes("alarm-search-gateway-degraded-rerank"));
  assert.not.match(JSON.stringify(stack.moved), "reranker");
});

test("deploys nothing for an existing endpoint, and watches it with alarms", () => {
  const config = configurationOf("all-options", [["model.yaml", ["sparse_v3"], { endpoint_name: "shop-sparse" }]]);
  const discovery = discoveryOf(config);
  assert.ok(discovery.searchGateway);
  const arn = "arn:aws:sagemaker:eu-west-1:123456789012:endpoint/shop-sparse";
  discovery.searchGateway.modelEndpoints = { "shop-sparse": { arn, variant: "AllTraffic" } };
  const stack = synth("search-gateway", { config, discovery });
  assert.equal(stack.ids("aws_sagemaker_endpoint"), ["dense_large_en_v1_5-bc0882c1-endpoint"]);
  assert.equal(stack.ids("aws_sagemaker_model"), ["dense_large_en_v1_5-bc0882c1-model"]);
  assert.match(
    JSON.stringify(stack.resource("aws_cloudwatch_metric_alarm", "alarm-model-sparse-v3-latency")),
    '{"EndpointName":"shop-sparse","VariantName":"AllTraffic"}',
  );
});

test("scales an endpoint between initial_instance_count and max_instance_count", () => {
  const { min_capacity, max_capacity, resource_id } = all.resource(
    "aws_appautoscaling_target",
    "sparse_v3-0d6e4079-scaling",
  );
  assert.equal([min_capacity, max_capacity, resource_id], [2, 4, `endpoint/${endpointOf(all)}/variant/all`]);
});

test("scales an endpoint by the concurrent requests of an instance", () => {
  const policyOf = (stack: Stack, name: string) =>
    stack.resource("aws_appautoscaling_policy", idOf(stack, "aws_appautoscaling_policy", name))
      .target_tracking_scaling_policy_configuration;
  const target = (target_value: number) => ({
    predefined_metric_specification: {
      predefined_metric_type: "SageMakerVariantConcurrentRequestsPerModelHighResolution",
    },
    target_value,
  });
  assert.equal(policyOf(all, "sparse_v3"), target(6));
  assert.equal(policyOf(all, "dense_large_en_v1_5"), target(4));
  const cpu = example("search-gateway", "all-options", [
    ["model.yaml", ["sparse_v3", "target_concurrency"], undefined],
  ]);
  assert.equal(policyOf(cpu, "sparse_v3"), target(2));
});

test("does not scale an endpoint without max_instance_count", () => {
  assert.equal(example("search-gateway", "basic-auth").ids("aws_appautoscaling_target"), []);
});

const BEFORE = { initial_instance_count: 1, instance_type: "ml.g5.xlarge", revision: "first" };

test("creates another endpoint for documents with the same model, which the function may invoke", () => {
  const documents = { initial_instance_count: 2, instance_type: "ml.g5.2xlarge", max_instance_count: 6 };
  const stack = example("search-gateway", "all-options", [dense("documents", documents)]);
  const [shared, apart] = ["dense_large_en_v1_5", "dense_large_en_v1_5-documents"];
  assert.equal(model(stack, apart).primary_container.environment, model(stack, shared).primary_container.environment);
  assert.is.not(model(stack, apart).name, model(stack, shared).name);
  const [variant] = configuration(stack, apart).production_variants;
  assert.equal([variant?.instance_type, variant?.initial_instance_count], ["ml.g5.2xlarge", 2]);
  const target = stack.resource("aws_appautoscaling_target", "dense_large_en_v1_5-documents-bc0882c1-scaling");
  assert.equal([target.min_capacity, target.max_capacity], [2, 6]);
  const policy = JSON.stringify(stack.resource("aws_iam_role_policy", "api-router-policy"));
  assert.match(policy, "endpoint/all-options-dense-large-en-v1-5-documents*");
  const alarm = JSON.stringify(stack.resource("aws_cloudwatch_metric_alarm", "alarm-model-dense-large-en-v1-5-errors"));
  const { name } = stack.resource<{ name: string }>(
    "aws_sagemaker_endpoint",
    "dense_large_en_v1_5-documents-bc0882c1-endpoint",
  );
  assert.match(alarm, `"EndpointName":"${name}"`);
});

test("keeps the endpoint of a previous model", () => {
  const before = example("search-gateway", "all-options", [dense("revision", "first")]);
  const after = example("search-gateway", "all-options", [
    dense("revision", "second"),
    ["model.yaml", ["previous"], { dense_large_en_v1_5: { ...BEFORE, max_instance_count: 4 } }],
  ]);
  const kept = idOf(before, "aws_sagemaker_endpoint", "dense_large_en_v1_5");
  const endpoint = (stack: Stack) => stack.resource("aws_sagemaker_endpoint", kept).name;
  assert.is(endpoint(after), endpoint(before));
  assert.is(after.ids("aws_sagemaker_endpoint").length, before.ids("aws_sagemaker_endpoint").length + 1);
  const policy = JSON.stringify(after.resource("aws_iam_role_policy", "api-router-policy"));
  assert.match(policy, "endpoint/all-options-dense-large-en-v1-5*");
});

test("moves the addresses of earlier deployments, which had no hash, so that new endpoints come first", () => {
  const stack = example("search-gateway", "all-options", [
    ["model.yaml", ["previous"], { dense_large_en_v1_5: BEFORE }],
  ]);
  const moved = (stack.moved ?? []).map(({ from, to }) => [from, to.replace(/-[0-9a-f]{8}-/, "-#-")]);
  const of = (model: string) =>
    [
      ["aws_appautoscaling_policy", "scaling-policy"],
      ["aws_appautoscaling_target", "scaling"],
      ["aws_cloudwatch_log_group", "log"],
      ["aws_sagemaker_endpoint", "endpoint"],
      ["aws_sagemaker_endpoint_configuration", "configuration"],
      ["aws_sagemaker_model", "model"],
    ].map(([resource, id]) => [`${resource}.${model}-${id}`, `${resource}.${model}-#-${id}`]);
  assert.equal(moved.sort(), [...of("dense_large_en_v1_5"), ...of("sparse_v3")].sort());
});

test("allows the function to invoke a previous model on Bedrock", () => {
  const previous = {
    ext_embed_bedrock: { model_id: "amazon.titan-embed-text-v1", dimension: 1536, query_concurrency: 4 },
  };
  const stack = example("search-gateway", "all-options", [["model.yaml", ["previous"], previous]]);
  const policy = JSON.stringify(stack.resource("aws_iam_role_policy", "api-router-policy"));
  assert.match(policy, "foundation-model/amazon.titan-embed-text-v1");
});

test.run();
