import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { parseConfiguration } from "../../lib/settings/parse.ts";
import { stackNames } from "../../stacks/input.ts";
import { synthesize } from "../../stacks/synthesize.ts";
import {
  type Change,
  CONFIGURATIONS,
  configuration,
  configurationFiles,
  discoveryOf,
} from "../fixtures/configurations/configurations.ts";
import { fullExample, valid } from "../lib/settings/example.ts";
import { suite } from "../suite.ts";
import { ARTIFACTS, example, synth } from "./support.ts";

const test = suite("stacks: synthesis");

const scratch = mkdtempSync(join(tmpdir(), "synthesis-"));
test.after(() => rmSync(scratch, { recursive: true }));

/** Writes every stack to a folder and returns their texts. */
function written(folder: string, config = configuration("all-options")): string[] {
  const input = { config, discovery: discoveryOf(config), artifacts: ARTIFACTS, outdir: join(scratch, folder) };
  return synthesize(input).map(({ directory }) => readFileSync(join(directory, "cdk.tf.json"), "utf8"));
}

test("gives the same text for the same input", () => {
  assert.equal(written("same"), written("same"));
});

test("does not depend on comments and the order of keys", () => {
  const files = Object.entries(configurationFiles("all-options")).map(([name, text]) => [
    name,
    `# a comment\n${text.replaceAll(/$/gm, " # another").replace("# another\n---", "---")}`,
  ]);
  assert.equal(written("same", parseConfiguration(Object.fromEntries(files))), written("same"));
});

test("returns the stacks in the order of deployment", () => {
  assert.equal(stackNames(configuration("minimal")), ["storage", "foundation", "search-gateway"]);
});

test("synthesizes only the requested stacks", () => {
  const config = configuration("minimal");
  const outdir = join(scratch, "chosen");
  const input = { config, discovery: discoveryOf(config), artifacts: {}, outdir };
  const found = synthesize({ ...input, stacks: ["storage"] });
  assert.equal(found, [{ name: "storage", directory: join(outdir, "stacks", "storage") }]);
});

test("names a function that has not been built", () => {
  const config = configuration("minimal");
  const input = { config, discovery: discoveryOf(config), artifacts: {}, outdir: join(scratch, "unbuilt") };
  assert.throws(() => synthesize(input), /function api-router has not been built/);
});

test("needs no Terraform on the PATH", () => {
  const { PATH } = process.env;
  process.env.PATH = "";
  try {
    assert.ok(example("search-gateway", "all-options").moved?.length);
  } finally {
    process.env.PATH = PATH;
  }
});

test("limits the provider to the discovered account and region, and sets the project's tags", () => {
  const [provider] = example("foundation", "all-options").provider.aws;
  assert.equal(provider, {
    allowed_account_ids: ["123456789012"],
    default_tags: [
      {
        tags: {
          "cost-center": "4711",
          "relevance:project": "all-options",
          "relevance:stack": "foundation",
          team: "search",
        },
      },
    ],
    region: "eu-west-1",
  });
});

for (const name of CONFIGURATIONS) {
  test(`reads nothing of the account with ${name}, and names function and API after the project`, () => {
    for (const text of written("reads", configuration(name))) assert.not.ok("data" in JSON.parse(text));
    const gateway = example("search-gateway", name);
    const names = namesOf({ project: name, account: "123456789012", region: "eu-west-1" });
    const { function_name } = gateway.resource("aws_lambda_function", "api-router");
    assert.is(function_name, names.function("api-router"));
    const apis = gateway.ids("aws_api_gateway_rest_api").map((id) => gateway.resource("aws_api_gateway_rest_api", id));
    assert.equal(
      apis.map((api) => api.name),
      [names.api("search-gateway")],
    );
  });
}

test("can limit the provider's retries", () => {
  const stack = synth("foundation", { config: configuration("minimal"), maxRetries: 2 });
  assert.is(stack.provider.aws[0]?.max_retries, 2);
});

test("requires exactly the provider version that the tests use", () => {
  const { terraform, text } = example("foundation", "minimal");
  assert.is(JSON.parse(text).terraform.required_providers.aws.version, "5.100.0");
  assert.is(terraform.required_version, ">= 1.10");
});

test("takes provider 6 by a line, which changes its version alone, and then the runtime", () => {
  const provider: Change = ["project.yaml", ["terraform"], { provider: 6 }];
  const [five, six] = [example("foundation", "minimal"), example("foundation", "minimal", [provider])];
  assert.is(six.text, five.text.replace('"5.100.0"', '"6.25.0"'));
  const runtime: Change = ["project.yaml", ["aws", "lambda_runtime"], "nodejs24.x"];
  const gateway = example("search-gateway", "minimal", [provider, runtime]);
  assert.is(gateway.resource("aws_lambda_function", "api-router").runtime, "nodejs24.x");
  assert.throws(
    () => configuration("minimal", [runtime]),
    "aws.lambda_runtime  nodejs24.x needs terraform.provider: 6 (docs/guides/platform.md)",
  );
});

test("encrypts state in a bucket, and locks it with a file", () => {
  assert.equal(example("storage", "all-options").terraform.backend, {
    s3: {
      bucket: "all-options-terraform-state",
      encrypt: true,
      key: "teams/search/123456789012-eu-west-1/storage.tfstate",
      region: "eu-west-1",
      use_lockfile: true,
    },
  });
});

test("uses the key and the role of a central account for state", () => {
  const kms_key_id = "arn:aws:kms:eu-west-1:210987654321:key/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f";
  const role_arn = "arn:aws:iam::210987654321:role/terraform-state";
  const state: Change[] = [
    ["project.yaml", ["terraform", "state", "kms_key_id"], kms_key_id],
    ["project.yaml", ["terraform", "state", "role_arn"], role_arn],
  ];
  const { s3 } = example("storage", "all-options", state).terraform.backend;
  assert.equal([s3?.kms_key_id, s3?.assume_role, s3?.encrypt], [kms_key_id, { role_arn }, true]);
});

test("keeps local state in a file for each stack, account and region, relative to the stack's folder", () => {
  const config = configuration("minimal");
  const pathIn = (account: string) => {
    const discovery = { ...discoveryOf(config), account };
    const stack = synth("storage", { config, discovery, stateFolder: ".terraform-state" });
    return String(stack.terraform.backend.local?.path);
  };
  const [first, second] = ["123456789012", "210987654321"].map(pathIn);
  assert.match(first ?? "", /^(\.\.\/)+\.terraform-state\/minimal\/123456789012-eu-west-1\/storage\.tfstate$/);
  assert.match(second ?? "", "/minimal/210987654321-eu-west-1/storage.tfstate");
});

test("has no gateway for a recommendation service alone", () => {
  const files = fullExample();
  const project = (files["project.yaml"] ?? "").replace(/^vpc:[\s\S]*?(?=^# personalize)/m, "");
  const config = valid({ ...files, "project.yaml": project });
  assert.equal(stackNames(config), ["storage", "personalization", "filters", "foundation", "recommendation"]);
  assert.equal(synth("foundation", { config }).ids("aws_vpc_endpoint"), []);
});

test.run();
