import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ConfigurationError, formatProblem } from "@relevance/lib/settings/problem.ts";
import * as assert from "uvu/assert";
import { fullExample } from "../../../../test/lib/settings/example.ts";
import { suite } from "../../../../test/suite.ts";
import { localConfiguration, SAMPLE_RESOURCES } from "../../account/configuration.ts";

const test = suite("a configuration of the local account");

const folder = mkdtempSync(join(tmpdir(), "local-account-"));
test.after(() => rmSync(folder, { recursive: true }));

const write = (conf: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(conf, name)), { recursive: true });
    writeFileSync(join(conf, name), text);
  }
};

test("the shipped one is deployed with nothing replaced but the account's resources", () => {
  const { config, replaced } = localConfiguration("conf", SAMPLE_RESOURCES);
  assert.equal(replaced, [
    "project.yaml vpc.vpc_id",
    "project.yaml opensearch.domain",
    "project.yaml opensearch.domain_name",
    "api.yaml domain_name_system",
  ]);
  assert.is(config.searchGateway?.vpc.vpc_id, SAMPLE_RESOURCES.account.vpcId);
  assert.is(config.searchGateway?.opensearch.domain, SAMPLE_RESOURCES.cluster);
  assert.ok(config.recommendation);
});

test("one with every key names nothing of the user's account, and its files stay as they are", () => {
  const conf = join(folder, "full");
  const files = fullExample();
  write(conf, files);
  const campaigns = ["my-project-personalized-ranking"];
  const { config, replaced } = localConfiguration(conf, { ...SAMPLE_RESOURCES, campaigns });
  const deployed = Object.values(config.files)
    .join("\n")
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n");
  for (const theirs of [
    "vpc-books",
    "domain_name: example",
    "host_name",
    ":policy/",
    ":topic",
    "vpce-",
    "subnet-0b1c",
    "s3\n",
    "webacl",
  ]) {
    assert.not.ok(deployed.includes(theirs), `${theirs} is deployed`);
  }
  assert.is(config.api.authorization, "api_key");
  assert.is(config.project.terraform.state.type, "local");
  assert.match(
    config.api.personalized_ranking.campaign_arn ?? "",
    /:123456789012:campaign\/my-project-personalized-ranking$/,
  );
  for (const key of ["aws.permissions_boundary_arn", "terraform", "opensearch.auth", "vpc.subnet_ids"]) {
    assert.ok(replaced.includes(`project.yaml ${key}`), key);
  }
  for (const [name, text] of Object.entries(files)) assert.is(readFileSync(join(conf, name), "utf8"), text);
});

test("ranks searches only with a campaign that the account has", () => {
  const { config } = localConfiguration("conf.local", SAMPLE_RESOURCES);
  assert.is(config.api.personalized_ranking.campaign_arn, undefined);
});

test("deploys a model in place of an endpoint of the user's", () => {
  const conf = join(folder, "endpoint");
  cpSync("conf", conf, { recursive: true });
  writeFileSync(
    join(conf, "model.yaml"),
    "dense_large_en_v1_5:\n  endpoint_name: shop\nsparse_v3:\n  endpoint_name: s\nreranker:\n  endpoint_name: r\n",
  );
  const { config } = localConfiguration(conf, SAMPLE_RESOURCES);
  const { endpoint_name, instance_type } = config.searchGateway?.models.sparse_v3 ?? {};
  assert.equal([endpoint_name, instance_type], [undefined, "ml.c6i.2xlarge"]);
  assert.is(config.searchGateway?.models.reranker?.model_id, "local/stand-in");
});

test("reports a mistake with the line of the user's own file, before anything starts", () => {
  const conf = join(folder, "mistake");
  cpSync("conf", conf, { recursive: true });
  const file = join(conf, "api.yaml");
  const text = `${readFileSync(file, "utf8")}\nthrottle:\n  rate_limit: -1\n`;
  writeFileSync(file, text);
  const line = text.split("\n").findIndex((one) => one.includes("rate_limit: -1")) + 1;
  try {
    localConfiguration(conf, SAMPLE_RESOURCES);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, ConfigurationError);
    const [problem, ...more] = (error as ConfigurationError).problems.map(formatProblem);
    assert.match(problem ?? "", `api.yaml:${line}  throttle.rate_limit`);
    assert.equal(more, []);
  }
});

test.run();
