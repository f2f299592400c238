// Terraform destroys in reverse order of the graph, so what an invocation needs must be below it in each stack.
import * as assert from "uvu/assert";
import type { StackName } from "../../lib/platform/naming/names.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { synth } from "./support.ts";

const test = suite("order of the recommendation service's resources");

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Maps each resource of a stack to all resources that Terraform creates before it and destroys after it: those that it
 * refers to or names in `depends_on`, and theirs.
 */
function graphOf(stack: StackName): Graph {
  const config = recommendation([["solution.yaml", ["retraining"], { schedule: "rate(7 days)" }]]);
  const { resource }: { resource: Record<string, Record<string, object>> } = JSON.parse(synth(stack, { config }).text);
  const texts = new Map<string, string>(
    Object.entries(resource).flatMap(([type, byId]) =>
      Object.entries(byId).map(
        ([id, value]) => [`${type}.${id}`, JSON.stringify({ ...value, "//": undefined })] as const,
      ),
    ),
  );
  const below = (address: string, seen = new Set<string>()): Set<string> => {
    for (const [next] of texts.get(address)?.matchAll(/\baws_\w+\.[\w-]+/g) ?? []) {
      if (seen.has(next) || next === address || !texts.has(next)) continue;
      seen.add(next);
      below(next, seen);
    }
    return seen;
  };
  return new Map([...texts.keys()].map((address) => [address, below(address)]));
}

const personalization = graphOf("personalization");
const service = graphOf("recommendation");

/** Asserts that a resource is destroyed before others. */
function assertNeeds(graph: Graph, address: string, needed: readonly string[]): void {
  const below = graph.get(address);
  assert.equal(
    needed.filter((one) => !below?.has(one)),
    [],
    address,
  );
}

const invocations = (graph: Graph) =>
  [...graph.keys()].filter((address) => address.startsWith("aws_lambda_invocation.")).sort();

const invocation = (id: string) => `aws_lambda_invocation.${id}`;

test("creates what invocations need before the first one, and destroys it after the last", () => {
  const ids = ["dataset-group", "event-tracker"];
  for (const dataset of ["interaction", "item", "user"]) ids.push(`dataset-${dataset}`, `schema-${dataset}`);
  assert.equal(invocations(personalization), ids.map(invocation).sort());
  for (const address of invocations(personalization)) {
    const needed = [
      "aws_lambda_alias.personalize-manager-live",
      "aws_lambda_function.personalize-manager",
      "aws_iam_role.personalize-manager-role",
      "aws_iam_role_policy.personalize-manager-policy",
      "aws_cloudwatch_log_group.personalize-manager-log",
      "aws_kms_key.log-key",
      // Personalize reads what training imports with this role.
      "aws_iam_role.import-role",
      "aws_iam_role_policy.import-policy",
    ];
    assertNeeds(personalization, address, needed);
  }
});

test("destroys a resource of Personalize before the resources that it depends on", () => {
  for (const dataset of ["user", "item", "interaction"]) {
    for (const first of ["dataset-group", `schema-${dataset}`]) {
      assert.ok(
        personalization.get(invocation(`dataset-${dataset}`))?.has(invocation(first)),
        `${dataset} on ${first}`,
      );
    }
    assert.ok(
      personalization.get(invocation("event-tracker"))?.has(invocation(`dataset-${dataset}`)),
      `tracker on ${dataset}`,
    );
  }
});

test("lets invocations read the training table before the first campaign and after the last", () => {
  assert.equal(
    invocations(service),
    ["campaign-personalized-ranking", "campaign-similar-items", "campaign-user-personalization"].map(invocation),
  );
  for (const address of invocations(service)) {
    // The function's role may use the key by its alias.
    const needed = ["aws_dynamodb_table.table-training", "aws_kms_key.log-key", "aws_kms_alias.log-key-alias"];
    assertNeeds(service, address, needed);
  }
});

test("an interrupted removal leaves no state machine without its tables", () => {
  const tables = [...service.values()]
    .flatMap((below) => [...below])
    .filter((one) => one.startsWith("aws_dynamodb_table."));
  const all = [...new Set(tables)].sort();
  assert.is(all.length, 6);
  for (const name of ["training", "teardown", "etl"]) {
    assertNeeds(service, `aws_sfn_state_machine.${name}-machine`, all);
  }
});

test("destroys state machines, deliveries and schedules before their permissions", () => {
  const needs = {
    "aws_sfn_state_machine.training-machine": [
      "aws_iam_role_policy.state-machines-policy",
      "aws_lambda_alias.training-live",
    ],
    "aws_sfn_state_machine.teardown-machine": ["aws_iam_role_policy.training-policy", "aws_lambda_alias.training-live"],
    "aws_sfn_state_machine.etl-machine": ["aws_iam_role_policy.etl-policy", "aws_lambda_alias.etl-live"],
    "aws_lambda_event_source_mapping.changes-to-realtime-sync": ["aws_iam_role_policy.realtime-sync-policy"],
    "aws_kinesis_firehose_delivery_stream.delivery": ["aws_iam_role_policy.delivery-policy"],
    "aws_scheduler_schedule.retraining-schedule": ["aws_iam_role_policy.retraining-policy"],
    "aws_cloudwatch_event_target.training-ends-to-report": ["aws_iam_role_policy.training-events-policy"],
  };
  for (const [address, needed] of Object.entries(needs)) {
    assertNeeds(service, address, needed);
  }
});

test.run();
