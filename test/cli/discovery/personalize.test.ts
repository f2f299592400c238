import * as assert from "uvu/assert";
import { discover } from "../../../cli/discovery/discover.ts";
import { repairMarkers } from "../../../cli/discovery/personalize.ts";
import { appliedInputs } from "../../../cli/state/stacks.ts";
import { type DiscoveryError, formatDiscovery, parseDiscovery } from "../../../lib/infrastructure/discovery.ts";
import type { Inventory } from "../../../lib/personalize/resources/inventory.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import { configuration, recommendation } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";
import { account } from "./account.ts";

const test = suite("discovery: what Personalize has");

const names = namesOf({ project: "my-project", account: "123456789012", region: "eu-west-1" });
const EXPRESSION = 'EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("read")';
const filter = (name: string, expression = EXPRESSION) => ({
  name,
  arn: names.arn("personalize", `filter/${name}`),
  status: "ACTIVE",
  expression,
});
const inventory = (parts: Partial<Inventory> = {}): Inventory => ({
  dataset_group: { name: "my-project", arn: "a", status: "ACTIVE" },
  datasets: [],
  event_tracker: null,
  filters: [],
  solutions: [],
  campaigns: [],
  ...parts,
});
const group = { kind: "dataset_group", name: "my-project" };
const unread = { kind: "filter", filter: "unread", name: "my-project-unread-1", expression: EXPRESSION };

test("does not mark a resource that is as it was applied", () => {
  assert.equal(repairMarkers({ "dataset-group": group }, inventory()), {});
});

test("marks a resource that differs, with a new marker when it differs again", () => {
  assert.equal(repairMarkers({ "filter-unread": unread }, inventory()), { "filter-unread": "1" });
  assert.equal(repairMarkers({ "filter-unread": { ...unread, repair: "1" } }, inventory()), { "filter-unread": "2" });
});

test("keeps a marker after the repair, so that nothing is planned", () => {
  const repaired = inventory({ filters: [filter("my-project-unread-1")] });
  assert.equal(repairMarkers({ "filter-unread": { ...unread, repair: "2" } }, repaired), { "filter-unread": "2" });
});

test("marks a campaign that differs, failed or is being deleted, but not one that awaits or is in training", () => {
  const common = { name: "my-project-similar-items", recipe: "similar_items" } as const;
  const campaign = { kind: "campaign", ...common, min_provisioned_tps: 1 };
  const markers = (status: string, update?: string, min_provisioned_tps = 1) => {
    const entry = { name: campaign.name, arn: "a" };
    const found = {
      ...{ ...common, arn: "a", status, solution_version_arn: "v", min_provisioned_tps },
      ...(update !== undefined && { update: { ...entry, status: update } }),
    };
    return repairMarkers({ campaign }, inventory({ campaigns: [found] }));
  };
  assert.equal(repairMarkers({ campaign }, inventory()), {});
  assert.equal(markers("ACTIVE", undefined, 7), { campaign: "1" });
  for (const status of ["CREATE PENDING", "CREATE IN_PROGRESS"]) assert.equal(markers(status), {}, status);
  for (const update of ["CREATE PENDING", "CREATE IN_PROGRESS"]) assert.equal(markers("ACTIVE", update), {}, update);
  for (const status of ["CREATE FAILED", "DELETE PENDING"]) assert.equal(markers(status), { campaign: "1" }, status);
});

test("leaves an input that was refused to the plan", () => {
  assert.equal(repairMarkers({ "dataset-group": { kind: "group" } }, inventory()), {});
});

test("does not read Personalize without a recommendation service", async () => {
  const clients = account({
    inventory: async () => {
      throw new Error("was read");
    },
  });
  assert.is((await discover(configuration("minimal"), clients)).personalize, undefined);
});

test("saves markers with the discovery", async () => {
  const clients = account({ inventory: async () => inventory() });
  const found = await discover(recommendation(), clients, { "filter-unread": unread });
  assert.equal(found.personalize, { repairs: { "filter-unread": "1" } });
  assert.equal(parseDiscovery(formatDiscovery(found)), found);
});

test("rejects a schema that its dataset cannot take before planning, naming the file and what to do", async () => {
  const config = recommendation();
  const { item, interaction } = config.recommendation?.schemas ?? {};
  if (!item || !interaction) throw new Error("the example has a recommendation service");
  const dataset = (name: "item" | "interaction", schema: unknown) => ({
    name,
    arn: "a",
    status: "ACTIVE",
    dataset: name,
    schema_arn: "s",
    schema,
  });
  const fields = [{ name: "OLD", type: ["null", "string"] }];
  const problemsWith = async (datasets: Inventory["datasets"]) => {
    const outcome = discover(config, account({ inventory: async () => inventory({ datasets }) }));
    return outcome.then(() => []).catch((error: DiscoveryError) => error.problems);
  };
  assert.equal(await problemsWith([dataset("item", item), dataset("interaction", interaction)]), []);
  const [first = "", second = "", ...rest] = await problemsWith([
    dataset("item", { ...item, fields: [...item.fields, ...fields] }),
    dataset("interaction", { ...interaction, fields: [...interaction.fields, ...fields] }),
  ]);
  assert.match(first, /^schema\/item_schema\.json does not fit the existing item dataset: OLD is gone\. /);
  assert.match(first, "(and add what changes under a new field name), or run `relevance uninstall` and deploy again");
  assert.match(second, "Personalize cannot replace the schema of interactions. Restore the file, or");
  assert.equal(rest, []);
});

test("uses the account's own filter quota, or the default if the credentials may not read it", async () => {
  const filters = Array.from({ length: 30 }, (_, index) => filter(`my-project-f${index}-0000000001`));
  const outcome = (filterQuota: () => Promise<number | undefined>) =>
    discover(recommendation(), account({ inventory: async () => inventory({ filters }), filterQuota })).then(
      () => "room",
      (error: Error) => /Personalize takes \d+/.exec(error.message)?.[0],
    );
  const denied = Object.assign(new Error("no"), { name: "AccessDeniedException" });
  assert.is(await outcome(async () => 50), "room");
  assert.is(await outcome(async () => 30), "Personalize takes 30");
  assert.is(await outcome(() => Promise.reject(denied)), "Personalize takes 30");
});

test("reads the applied inputs from Terraform's state, without those being replaced", () => {
  const instance = (input: unknown, more: object = {}) => ({ attributes: { input: JSON.stringify(input) }, ...more });
  const managed = { mode: "managed" };
  const state = {
    resources: [
      {
        ...managed,
        type: "aws_lambda_invocation",
        name: "filter-unread",
        instances: [instance({ old: true }, { deposed: "00" }), instance(unread)],
      },
      { ...managed, type: "aws_lambda_invocation", name: "odd", instances: [{ attributes: { input: "text" } }] },
      { ...managed, type: "aws_iam_role", name: "role", instances: [instance(group)] },
    ],
  };
  assert.equal(appliedInputs(state), { "filter-unread": unread });
  assert.equal(appliedInputs(undefined), {});
});

test.run();
