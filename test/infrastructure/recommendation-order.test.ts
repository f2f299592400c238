// Terraform destroys in reverse order of the graph, so what an invocation needs must be below it in each stack.
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { StackName } from "../../lib/platform/naming/names.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { synthesize } from "../../stacks/synthesize.ts";
import { discoveryOf, recommendation } from "../fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { servedProvider } from "../fixtures/served-provider.ts";
import { initTerraform, requireTerraform, terraformOk } from "../fixtures/terraform.ts";
import { ARTIFACTS } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("order of the recommendation service's resources");
const terraform = requireTerraform();
const folder = scratchFolder(TEST_OUTPUT, "recommendation-order");
const served = await servedProvider({ env: {} }, join(folder, "provider"));
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Maps each resource of a stack to all resources that are created before it and destroyed after it. */
async function graphOf(stack: StackName): Promise<Map<string, Set<string>>> {
  const config = recommendation([["solution.yaml", ["retraining"], { schedule: "rate(7 days)" }]]);
  const [{ directory } = { directory: "" }] = synthesize({
    config,
    discovery: discoveryOf(config),
    artifacts: ARTIFACTS,
    outdir: folder,
    stateFolder: join(folder, "state"),
    stacks: [stack],
  });
  await initTerraform(terraform, directory, { env: served });
  const { stdout } = await terraformOk(terraform, directory, ["graph"], served);
  const direct = new Map<string, string[]>();
  for (const [, from = "", to = ""] of stdout.matchAll(/"([^"]+)" -> "([^"]+)"/g)) {
    direct.set(from, [...(direct.get(from) ?? []), to]);
  }
  const below = (address: string, seen = new Set<string>()): Set<string> => {
    for (const next of direct.get(address) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      below(next, seen);
    }
    return seen;
  };
  return new Map([...direct.keys()].map((address) => [address, below(address)]));
}

const invocations = (graph: ReadonlyMap<string, unknown>) =>
  [...graph.keys()].filter((address) => address.startsWith("aws_lambda_invocation.")).sort();

const invocation = (id: string) => `aws_lambda_invocation.${id}`;

test("creates what invocations need before the first one, and destroys it after the last", async () => {
  const graph = await graphOf("personalization");
  const ids = ["dataset-group", "event-tracker"];
  for (const dataset of ["interaction", "item", "user"]) ids.push(`dataset-${dataset}`, `schema-${dataset}`);
  assert.equal(invocations(graph), ids.map(invocation).sort());
  for (const address of invocations(graph)) {
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
    assert.equal(
      needed.filter((one) => !graph.get(address)?.has(one)),
      [],
      address,
    );
  }
});

test("destroys a resource of Personalize before the resources that it depends on", async () => {
  const graph = await graphOf("personalization");
  for (const dataset of ["user", "item", "interaction"]) {
    for (const first of ["dataset-group", `schema-${dataset}`]) {
      assert.ok(graph.get(invocation(`dataset-${dataset}`))?.has(invocation(first)), `${dataset} on ${first}`);
    }
    assert.ok(graph.get(invocation("event-tracker"))?.has(invocation(`dataset-${dataset}`)), `tracker on ${dataset}`);
  }
});

test("lets invocations read the training table before the first campaign and after the last", async () => {
  const graph = await graphOf("recommendation");
  assert.equal(
    invocations(graph),
    ["campaign-personalized-ranking", "campaign-similar-items", "campaign-user-personalization"].map(invocation),
  );
  for (const address of invocations(graph)) {
    // The function's role may use the key by its alias.
    const needed = ["aws_dynamodb_table.table-training", "aws_kms_key.log-key", "aws_kms_alias.log-key-alias"];
    assert.equal(
      needed.filter((one) => !graph.get(address)?.has(one)),
      [],
      address,
    );
  }
});

test("an interrupted removal leaves no state machine without its tables", async () => {
  const graph = await graphOf("recommendation");
  const tables = [...graph.values()]
    .flatMap((below) => [...below])
    .filter((one) => one.startsWith("aws_dynamodb_table."));
  const all = [...new Set(tables)].sort();
  assert.is(all.length, 6);
  for (const name of ["training", "teardown", "etl"]) {
    const below = graph.get(`aws_sfn_state_machine.${name}-machine`);
    assert.equal(
      all.filter((one) => !below?.has(one)),
      [],
      name,
    );
  }
});

test("destroys state machines, deliveries and schedules before their permissions", async () => {
  const graph = await graphOf("recommendation");
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
    assert.equal(
      needed.filter((one) => !graph.get(address)?.has(one)),
      [],
      address,
    );
  }
});

test.run();
