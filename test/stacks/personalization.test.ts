import * as assert from "uvu/assert";
import * as v from "valibot";
import type { Configuration } from "../../lib/config/configuration.ts";
import { ResourceInput } from "../../lib/personalize/resources/request.ts";
import { discoveryOf } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { ARTIFACTS, recommendation, type Stack, synth } from "./support.ts";

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

/** The configuration with one more field of items, that may be null. */
function withField(from: Configuration): Configuration {
  const { recommendation } = from;
  if (!recommendation) throw new Error("not enabled");
  const { item } = recommendation.schemas;
  const fields = [...item.fields, { name: "MORE", type: ["null", "string"] }] as typeof item.fields;
  const schemas = { ...recommendation.schemas, item: { ...item, fields } };
  return { ...from, recommendation: { ...recommendation, schemas } };
}

test("has one invocation a resource, through the alias, whose function and qualifier are no references", () => {
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

test("every input is what the function takes", () => {
  for (const id of IDS) assert.ok(v.safeParse(ResourceInput, inputOf(id)).success, invocation(id).input);
});

test("permissions, the log and Personalize's role are there before the first invocation and after the last", () => {
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

test("resources go in the opposite order of what they need", () => {
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

test("a plan that would delete them is refused, and so is the deletion itself", () => {
  for (const id of IDS) {
    assert.is(invocation(id).lifecycle.prevent_destroy, true, id);
    assert.is(inputOf(id).deletable, undefined, id);
  }
});

test("an uninstallation may delete the remaining resources as applied, and creates nothing that was deleted", () => {
  const applied = {
    "dataset-group": { kind: "dataset_group", name: "my-project", repair: "3" },
    "dataset-item": { kind: "dataset", name: "my-project-item", dataset: "item", schema: "older" },
  };
  const left = synth("personalization", { config, uninstall: { applied } });
  assert.equal(left.ids("aws_lambda_invocation"), ["dataset-group", "dataset-item"]);
  for (const id of ["dataset-group", "dataset-item"] as const) {
    assert.is(invocation(id, left).lifecycle.prevent_destroy, false, id);
    assert.equal(inputOf(id, left), { ...applied[id], deletable: true }, id);
  }
});

test("other code of the function leaves every resource as it is", () => {
  const artifact = { zip: "dist/functions/personalize-manager.zip", sha256: "other" };
  const updated = synth("personalization", { config, artifacts: { ...ARTIFACTS, "personalize-manager": artifact } });
  const hash = (of: Stack) =>
    of.resource<{ source_code_hash: string }>("aws_lambda_function", "personalize-manager").source_code_hash;
  assert.is(hash(updated), "other");
  assert.is.not(hash(stack), hash(updated));
  assert.equal(invocations(updated), invocations(stack));
});

test("a changed schema is another schema under the same address, and an update of its dataset", () => {
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

test("what differs in Personalize has its marker in the plan, the others have none", () => {
  const discovery = { ...discoveryOf(config), personalize: { repairs: { "dataset-user": "2" } } };
  const marked = synth("personalization", { config, discovery });
  assert.is(inputOf("dataset-user", marked).repair, "2");
  assert.equal(
    IDS.filter((id) => "repair" in inputOf(id, marked)),
    ["dataset-user"],
  );
});

test("resources carry the project's tags, as far as Personalize has tags", () => {
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

test("Personalize's role is assumed by Personalize for this account alone", () => {
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

test("the function outlives the manager's longest wait", () => {
  assert.is(stack.resource<{ timeout: number }>("aws_lambda_function", "personalize-manager").timeout, 300);
});

test.run();
