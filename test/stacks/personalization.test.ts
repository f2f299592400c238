import * as assert from "uvu/assert";
import * as v from "valibot";
import { ResourceInput } from "../../lib/personalize/resources/request.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { discoveryOf, recommendation } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { ARTIFACTS, type Stack, synth } from "./support.ts";

const test = suite("stacks: personalization");

interface Invocation {
  function_name: string;
  qualifier: string;
  lifecycle_scope: string;
  input: string;
  triggers?: object;
  depends_on: string[];
  lifecycle: { prevent_destroy?: boolean };
}

const IDS = [
  "dataset-group",
  "dataset-interaction",
  "dataset-item",
  "dataset-user",
  "event-tracker",
  "schema-interaction",
  "schema-item",
  "schema-user",
];

const config = recommendation();
const stack = synth("personalization", { config });
const invocation = (id: string, of: Stack = stack) => of.resource<Invocation>("aws_lambda_invocation", id);
const inputOf = (id: string, of?: Stack) => JSON.parse(invocation(id, of).input);
const invocations = (of: Stack) => of.ids("aws_lambda_invocation").map((id) => [id, invocation(id, of)]);

/** Returns the configuration with one more field of items, which may be null. */
function withField(from: Configuration): Configuration {
  const { recommendation } = from;
  if (!recommendation) throw new Error("not enabled");
  const { item } = recommendation.schemas;
  const fields = [...item.fields, { name: "MORE", type: ["null", "string"] }] as typeof item.fields;
  const schemas = { ...recommendation.schemas, item: { ...item, fields } };
  return { ...from, recommendation: { ...recommendation, schemas } };
}

test("invokes the alias once for each resource, with a literal function name and qualifier", () => {
  assert.equal(stack.ids("aws_lambda_invocation"), IDS);
  for (const id of IDS) {
    const { function_name, qualifier, lifecycle_scope, triggers } = invocation(id);
    assert.equal(
      { function_name, qualifier, lifecycle_scope, triggers },
      {
        function_name: "my-project-personalize-manager",
        qualifier: "live",
        lifecycle_scope: "CRUD",
        triggers: undefined,
      },
      id,
    );
  }
});

test("gives each invocation an input that the function accepts", () => {
  for (const id of IDS) assert.ok(v.safeParse(ResourceInput, inputOf(id)).success, invocation(id).input);
});

test("creates permissions, the log and Personalize's role before all invocations, and removes them after", () => {
  const ready = [
    "aws_lambda_alias.personalize-manager-live",
    "aws_iam_role_policy.personalize-manager-policy",
    "aws_cloudwatch_log_group.personalize-manager-log",
    "aws_iam_role.import-role",
    "aws_iam_role_policy.import-policy",
  ];
  for (const id of IDS) {
    assert.equal(
      ready.filter((address) => !invocation(id).depends_on.includes(address)),
      [],
      id,
    );
  }
});

test("makes each resource depend on those that it needs, so that they are deleted in reverse", () => {
  const needs = (id: string) =>
    invocation(id)
      .depends_on.filter((address) => address.startsWith("aws_lambda_invocation."))
      .map((address) => address.slice(address.indexOf(".") + 1))
      .sort();
  assert.equal(needs("dataset-group"), []);
  assert.equal(needs("schema-item"), []);
  assert.equal(needs("dataset-item"), ["dataset-group", "schema-item"]);
  assert.equal(needs("event-tracker"), ["dataset-group", "dataset-interaction", "dataset-item", "dataset-user"]);
});

test("prevents the deletion of resources in the plan and in the function", () => {
  for (const id of IDS) {
    assert.is(invocation(id).lifecycle.prevent_destroy, true, id);
    assert.is(inputOf(id).deletable, undefined, id);
  }
});

test("lets an uninstallation delete the remaining resources as applied, without recreating others", () => {
  const applied = {
    "dataset-group": { kind: "dataset_group", name: "my-project", repair: "3" },
    "dataset-item": { kind: "dataset", name: "my-project-item", dataset: "item", schema: "older" },
  };
  const left = synth("personalization", { config, uninstall: { applied, inVpc: false } });
  assert.equal(left.ids("aws_lambda_invocation"), ["dataset-group", "dataset-item"]);
  for (const id of ["dataset-group", "dataset-item"] as const) {
    assert.is(invocation(id, left).lifecycle.prevent_destroy, false, id);
    assert.equal(inputOf(id, left), { ...applied[id], deletable: true }, id);
  }
});

test("does not change any resource when the function's code changes", () => {
  const artifact = { zip: "dist/functions/personalize-manager.zip", sha256: "other" };
  const updated = synth("personalization", { config, artifacts: { ...ARTIFACTS, "personalize-manager": artifact } });
  const hash = (of: Stack) =>
    of.resource<{ source_code_hash: string }>("aws_lambda_function", "personalize-manager").source_code_hash;
  assert.is(hash(updated), "other");
  assert.is.not(hash(stack), hash(updated));
  assert.equal(invocations(updated), invocations(stack));
});

test("creates a new schema at the same address when a schema changes, and updates its dataset", () => {
  const changed = synth("personalization", { config: withField(config) });
  assert.is.not(inputOf("schema-item", changed).name, inputOf("schema-item").name);
  assert.is(inputOf("dataset-item", changed).schema, inputOf("schema-item", changed).name);
  assert.is(inputOf("dataset-item", changed).name, inputOf("dataset-item").name);
  const same = IDS.filter((id) => invocation(id, changed).input === invocation(id).input);
  assert.equal(
    IDS.filter((id) => !same.includes(id)),
    ["dataset-item", "schema-item"],
  );
});

test("marks only the resources that differ in Personalize", () => {
  const discovery = { ...discoveryOf(config), personalize: { repairs: { "dataset-user": "2" } } };
  const marked = synth("personalization", { config, discovery });
  assert.is(inputOf("dataset-user", marked).repair, "2");
  assert.equal(
    IDS.filter((id) => "repair" in inputOf(id, marked)),
    ["dataset-user"],
  );
});

test("tags the resources that Personalize can tag", () => {
  const tagged = synth("personalization", {
    config: recommendation([["project.yaml", ["aws", "tags"], { team: "a" }]]),
  });
  assert.equal(inputOf("dataset-group", tagged).tags, {
    team: "a",
    "relevance:project": "my-project",
    "relevance:stack": "personalization",
  });
  assert.is(inputOf("schema-user", tagged).tags, undefined);
});

test("lets only Personalize, for this account, assume Personalize's role", () => {
  const { assume_role_policy } = stack.resource<{ assume_role_policy: string }>("aws_iam_role", "import-role");
  assert.equal(JSON.parse(assume_role_policy).Statement, [
    {
      Effect: "Allow",
      Principal: { Service: "personalize.amazonaws.com" },
      Action: "sts:AssumeRole",
      Condition: {
        StringEquals: { "aws:SourceAccount": "123456789012" },
        ArnLike: { "aws:SourceArn": "arn:aws:personalize:eu-west-1:123456789012:*" },
      },
    },
  ]);
});

test("gives the function more time than the manager's longest wait", () => {
  assert.is(stack.resource<{ timeout: number }>("aws_lambda_function", "personalize-manager").timeout, 300);
});

test.run();
