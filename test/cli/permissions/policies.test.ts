import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { charactersOf, MAX_CHARACTERS, policiesOf } from "../../../cli/permissions/policies.ts";
import type { StackResources } from "../../../lib/infrastructure/stack-resources.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import type { Configuration } from "../../../lib/settings/configuration.ts";
import { scratchFolder } from "../../../packages/processes/scratch.ts";
import { sampleStacks } from "../../../stacks/sample-stacks.ts";
import {
  type Change,
  configuration,
  configurationFiles,
  recommendation,
} from "../../fixtures/configurations/configurations.ts";
import { FULL_NAMES, fullConfiguration } from "../../fixtures/configurations/every-option.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { suite } from "../../suite.ts";
import { relevance } from "../run-cli.ts";
import { runHere } from "../run-here.ts";

const test = suite("relevance permissions");

const ACCOUNT = "123456789012";
const STATE = "arn:aws:s3:::all-options-terraform-state";
/** Whether an action has resource types, and the actions that it depends on. */
const REFERENCE: Readonly<Record<string, { resources: string[]; dependent?: string[] }>> = JSON.parse(
  readFileSync("packages/local-aws/guarded_moto/authorization.json", "utf8"),
).actions;

interface Statement {
  Sid: string;
  Effect: string;
  Action: string | string[];
  Resource: string | string[];
  Condition?: unknown;
}

const CONFIGURATIONS = {
  minimal: configuration("minimal"),
  "all-options": configuration("all-options"),
  recommendation: recommendation(),
  ...Object.fromEntries(FULL_NAMES.map((name) => [name, fullConfiguration(name)])),
};
const STACKS = Object.entries(CONFIGURATIONS).map(([name, config]) => ({ name, config, stacks: sampleStacks(config) }));

function printed(config: Configuration, stacks: readonly StackResources[]) {
  const { project_name: project, aws } = config.project;
  return policiesOf(
    config,
    namesOf({ project, account: ACCOUNT, region: aws.region_name, rolePath: aws.role_path }),
    stacks,
  );
}

const statementsIn = (document: string): Statement[] => JSON.parse(document).Statement;
const printedStatements = (config: Configuration, stacks: readonly StackResources[]) =>
  printed(config, stacks).flatMap(({ document }) => statementsIn(document));
const actionsOf = (statements: readonly Statement[]) => statements.flatMap(({ Action }) => Action);
const of = (name: string) => {
  const { config, stacks } = STACKS.find((one) => one.name === name) ?? {
    config: configuration("minimal"),
    stacks: [],
  };
  return printedStatements(config, stacks);
};

test("each policy fits IAM with the longest names, and a role or user takes all of them", () => {
  const long = (letter: string, length: number) => letter.repeat(length);
  for (const { name, config, stacks } of STACKS) {
    const aws = { ...config.project.aws, region_name: "ap-southeast-2", role_path: `/${long("p", 510)}/` };
    const state = { type: "s3", bucket: long("b", 63), region: aws.region_name } as const;
    const project = {
      ...config.project,
      project_name: long("n", 24),
      aws,
      terraform: { ...config.project.terraform, state },
    };
    const api = { ...config.api, cloud_watch_role_name: long("r", 64) };
    const policies = printed({ ...config, project, api }, stacks);
    for (const { document, name: policy } of policies) {
      assert.ok(charactersOf(document) <= MAX_CHARACTERS, `${name}: ${policy} has ${charactersOf(document)}`);
    }
    assert.is(MAX_CHARACTERS, 6_144);
    assert.ok(policies.length <= 10, name);
    assert.equal(new Set(policies.map((one) => one.name)).size, policies.length);
  }
});

test("counts as IAM does: without white space", () => {
  assert.is(charactersOf('{ "Version":\n\t"2012-10-17" }'), '{"Version":"2012-10-17"}'.length);
});

test("grants what an action depends on, by AWS's own reference", () => {
  // Other services' resources, other kinds of calls: WHEN of packages/local-aws/guarded_moto/guard_dependents.py has each reason.
  const otherwise = (action: string, dependent: string) =>
    action.startsWith("servicequotas:") ||
    (action.startsWith("wafv2:") && !/^(apigateway:|wafv2:GetWebACL)/.test(dependent)) ||
    /^(lambda:PassCapacityProvider|states:PublishStateMachineVersion)$/.test(dependent) ||
    (action === "kms:CreateKey" && dependent === "iam:CreateServiceLinkedRole");
  for (const { name, config, stacks } of STACKS) {
    const granted = actionsOf(printedStatements(config, stacks));
    const missing = granted.flatMap((action) =>
      (REFERENCE[action]?.dependent ?? [])
        .filter((one) => !granted.includes(one) && !otherwise(action, one))
        .map((one) => `${action} needs ${one}`),
    );
    assert.equal(missing, [], name);
  }
});

test("grants any resource where AWS's reference has none, to deployers and to every role", () => {
  for (const { name, config, stacks } of STACKS) {
    const roles = stacks.flatMap(({ aws_iam_role_policy = {} }) =>
      Object.values(aws_iam_role_policy).flatMap(({ policy }) => statementsIn(String(policy))),
    );
    const wrong = [...printedStatements(config, stacks), ...roles]
      .filter(({ Effect, Resource }) => Effect === "Allow" && ![Resource].flat().includes("*"))
      .flatMap(({ Action }) => Action)
      .filter((action) => REFERENCE[action]?.resources.length === 0);
    assert.equal([...new Set(wrong)], [], name);
  }
});

test("names only actions that AWS has", () => {
  const named = STACKS.flatMap(({ config, stacks }) => actionsOf(printedStatements(config, stacks)));
  assert.equal(
    [...new Set(named)].filter((action) => !action.endsWith("*") && !(action in REFERENCE)),
    [],
  );
});

test("prints nothing that a small gateway does not need", () => {
  const services = new Set(actionsOf(of("minimal")).map((action) => action.split(":")[0]));
  for (const other of ["wafv2", "dynamodb", "events", "states", "scheduler", "application-autoscaling"]) {
    assert.not(services.has(other), other);
  }
  assert.not(
    actionsOf(of("minimal")).some((action) => /Boundary|sagemaker:Create|InvokeEndpoint|VpcEndpoint$/.test(action)),
  );
});

test("prints nothing of the search gateway for the recommendation service alone", () => {
  const found = actionsOf(of("recommendation")).filter((action) => /^(ec2|es|glue|athena|sagemaker|acm):/.test(action));
  assert.equal(found, []);
});

test("lets AWS create the roles of services that the configuration makes it create, and no others", () => {
  const roles = (name: string) =>
    of(name)
      .filter(({ Action }) => [Action].flat().includes("iam:CreateServiceLinkedRole"))
      .flatMap(({ Resource }) => Resource)
      .map((arn) => arn.split("/")[2]);
  assert.equal(roles("recommendation"), []);
  assert.equal(roles("minimal"), ["ops.apigateway.amazonaws.com"]);
  assert.equal(roles("both services"), [
    "lambda.application-autoscaling.amazonaws.com",
    "ops.apigateway.amazonaws.com",
    "sagemaker.application-autoscaling.amazonaws.com",
  ]);
});

test("names the resources of the project, account and region", () => {
  const bucket = of("minimal").find(({ Sid }) => Sid === "Bucket");
  const arn = `arn:aws:s3:::minimal-relevance-${ACCOUNT}-eu-west-1`;
  assert.equal(bucket?.Resource, [arn, `${arn}/*`]);
});

test("uses no key but your own, and that of the state's bucket through S3", () => {
  const own = "arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f";
  const config = configuration("all-options", [["project.yaml", ["aws", "kms_key_arn"], own]]);
  const keys = printedStatements(config, sampleStacks(config)).filter(({ Action }) =>
    [Action].flat().some((action) => action.startsWith("kms:")),
  );
  assert.equal(
    keys.map(({ Sid, Resource, Condition }) => [Sid, Condition ?? Resource]),
    [
      ["ReadEncrypted", [own]],
      [
        "EncryptTheState",
        {
          StringLike: {
            "kms:EncryptionContext:aws:s3:arn": [STATE, `${STATE}/*`],
            "kms:ViaService": "s3.eu-west-1.amazonaws.com*",
          },
        },
      ],
      ["UseTheKeys", [own]],
      ["WriteEncrypted", [own]],
    ],
  );
});

test("the command writes each policy to a file, without credentials, and says how to attach them", async () => {
  const folder = scratchFolder(TEST_OUTPUT, "permissions");
  try {
    const changes: Change[] = [["project.yaml", ["aws", "account_id"], ACCOUNT]];
    for (const [file, text] of Object.entries(configurationFiles("minimal", changes)))
      writeFileSync(join(folder, file), text);
    const out = join(folder, "out");
    const { err, code } = relevance(["permissions", "--conf", folder, "--out", out]);
    assert.is(code, 0, err);
    assert.equal(readdirSync(out).sort(), [
      "minimal-deploy-2-eu-west-1.json",
      "minimal-deploy-eu-west-1.json",
      "minimal-forget-eu-west-1.json",
      "minimal-plan-eu-west-1.json",
    ]);
    for (const verb of ["create-policy", "attach-role-policy", "attach-user-policy"])
      assert.match(err, `aws iam ${verb} `);
    const shown = await runHere(["permissions", "--conf", folder]);
    const plan = JSON.parse(readFileSync(join(out, "minimal-plan-eu-west-1.json"), "utf8"));
    assert.equal(JSON.parse(shown.out)["minimal-plan-eu-west-1"], plan);

    writeFileSync(join(folder, "project.yaml"), configurationFiles("minimal", [])["project.yaml"] ?? "");
    const nobody = Object.fromEntries(
      ["ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "PROFILE"].map((one) => [`AWS_${one}`, ""]),
    );
    const env = {
      ...nobody,
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_SHARED_CREDENTIALS_FILE: out,
      AWS_CONFIG_FILE: out,
    };
    const refused = relevance(["permissions", "--conf", folder], env);
    assert.match(refused.err, /no AWS credentials: .*; or set aws\.account_id in project\.yaml/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
