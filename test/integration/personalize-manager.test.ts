import { setTimeout as sleep } from "node:timers/promises";
import { CreateFilterCommand, ListTagsForResourceCommand } from "@aws-sdk/client-personalize";
import { GetRecommendationsCommand } from "@aws-sdk/client-personalize-runtime";
import { GetParametersCommand } from "@aws-sdk/client-ssm";
import * as assert from "uvu/assert";
import { type Inventory, readInventory } from "../../lib/personalize/resources/inventory.ts";
import type { ResourceInputGiven } from "../../lib/personalize/resources/request.ts";
import { deadlineIn } from "../../lib/platform/resilience/deadline.ts";
import { createPointers } from "../../lib/recommendation/clients/parameters.ts";
import { askCampaign } from "../../lib/recommendation/lists/candidates/ask-campaign.ts";
import { chooseFilter } from "../../lib/recommendation/lists/candidates/filter-choice.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";
import { invoke } from "../../packages/local-aws/test/cloud/functions.ts";
import { checkNeededHere } from "../fixtures/check-permissions.ts";
import { basicInputs, filterInput } from "../lib/personalize/resources/inputs.ts";
import { DEFINITIONS } from "../lib/recommendation/etl/run.ts";
import { onlyUsers } from "../lib/recommendation/training/settings.ts";
import { tasteEvents } from "../lib/recommendation/training/taste-events.ts";
import { type TrainingWorld, trainingWorld } from "../lib/recommendation/training/world.ts";
import { suite } from "../suite.ts";

const test = suite("personalize-manager on the local AWS endpoint");

/** An invocation waits for 3 s at most; creations take longer. */
const SLOW = { pending: 200, working: 3_200, deploying: 3_200 };

let world: TrainingWorld;

test.before(async () => {
  world = await trainingWorld({ project: "managed", settings: onlyUsers(), delays: SLOW, managerTimeout: 18 });
});

test.after(() => world.stop());

/** Repeats an action until it is no longer interrupted. Returns how often it was. */
async function untilDone(action: "create" | "update" | "delete", input: ResourceInputGiven): Promise<number> {
  for (let cuts = 0; ; cuts += 1) {
    try {
      await world.manage(action, input);
      return cuts;
    } catch (error) {
      assert.match((error as Error).message, /is still (CREATE|DELETE|UPDATE)[ _A-Z]*: apply again/);
      assert.ok(cuts < 10, `${input.kind} never ends`);
    }
  }
}

const READ = 'EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("read")';
const ofAuthor = (author: string) => `INCLUDE ItemID WHERE Items.AUTHOR IN ("${author}")`;
const campaign: ResourceInputGiven = {
  kind: "campaign",
  name: "managed-user-personalization",
  recipe: "user_personalization",
  min_provisioned_tps: 1,
};

test("completes an apply that was interrupted after each resource", async () => {
  for (const input of basicInputs(world.names)) {
    const cuts = await untilDone("create", input);
    assert.is(cuts > 0, input.kind !== "schema", `${input.kind} was cut off ${cuts} times`);
  }
  const counts = world.control.counts();
  assert.equal([counts.CreateDatasetGroup, counts.CreateDataset, counts.CreateEventTracker], [1, 3, 1]);
  assert.is((await world.manage("create", campaign)).status, "awaiting training");
});

test("changes the TPS of a campaign in place after training has completed it", async () => {
  await world.setProfiles(40, 100);
  await world.setEvents(tasteEvents(60, 20));
  const { status, cause } = await world.ended(await world.start("only", { mode: "init" }));
  assert.is(status, "SUCCEEDED", cause);
  assert.is(await untilDone("update", { ...campaign, min_provisioned_tps: 4 }), 1);
  const { campaigns } = await readInventory(world.personalize, world.names);
  assert.equal(
    campaigns.map(({ min_provisioned_tps }) => min_provisioned_tps),
    [4],
  );
  assert.is(world.control.counts().CreateCampaign, 1);
});

test("recreates a campaign deleted by hand with the version that training chose", async () => {
  const before = (await readInventory(world.personalize, world.names)).campaigns[0];
  await untilDone("delete", campaign);
  assert.equal((await readInventory(world.personalize, world.names)).campaigns, []);
  await untilDone("create", campaign);
  const after = (await readInventory(world.personalize, world.names)).campaigns[0];
  assert.is(after?.solution_version_arn, before?.solution_version_arn);
});

/** Asks as recommendation-api does, with its own code and pointers that it caches for a minute. */
function asker() {
  const filters = [{ name: "unread", expression: READ, parameter: world.names.filterParameter("unread") }].map(
    (filter) => ({ ...filter, resource: world.names.filter(filter.name, filter.expression) }),
  );
  const settings = {
    campaigns: { user_personalization: world.names.campaignParameter("user_personalization") },
    filters,
  };
  const pointers = createPointers(async (Names) => {
    const { Parameters = [] } = await world.ssm.send(new GetParametersCommand({ Names: [...Names] }));
    return new Map(Parameters.map(({ Name = "", Value = "" }) => [Name, Value]));
  });
  const services = { settings, pointers } as unknown as RecommendationServices;
  return (user: number) =>
    askCampaign(
      services,
      {
        recipe: "user_personalization",
        filter: chooseFilter(services.settings, { filter_name: "unread", filter_value_dict: {} }),
        ask: ({ campaignArn, filterArn }) =>
          world.runtime.send(
            new GetRecommendationsCommand({ campaignArn, filterArn, userId: `U${user % 60}`, numResults: 5 }),
          ),
      },
      deadlineIn(5_000),
    );
}

test("rotates a changed expression among 29 filters under 50 requests a second without a failed request", async () => {
  const datasetGroupArn = world.names.arn("personalize", "dataset-group/managed");
  for (let index = 0; index < 28; index += 1) {
    const filterExpression = ofAuthor(`a${index}`);
    const name = `managed-f${index}-0000000001`;
    await world.personalize.send(new CreateFilterCommand({ name, datasetGroupArn, filterExpression }));
  }
  const old = filterInput(world.names, "unread", READ);
  await untilDone("create", old);
  assert.is((await readInventory(world.personalize, world.names)).filters.length, 29);

  const ask = asker();
  const failures: string[] = [];
  const under: Promise<void>[] = [];
  let rotating = true;
  const load = (async () => {
    for (let user = 0; rotating; user += 1) {
      under.push(
        ask(user).then(
          () => {},
          (error: Error) => void failures.push(`${error.name}: ${error.message}`),
        ),
      );
      // The load itself: 50 requests a second.
      await sleep(20);
    }
  })();
  // Create before delete, as the stack's create_before_destroy does.
  const next = filterInput(world.names, "unread", ofAuthor("Ada"));
  await untilDone("create", next);
  await untilDone("delete", old);
  rotating = false;
  await load;
  await Promise.all(under);
  assert.ok(under.length > 50, `${under.length} requests`);
  assert.equal(failures, []);
  const { filters } = await readInventory(world.personalize, world.names);
  assert.equal(
    filters.map(({ name }) => name).filter((name) => name.includes("unread")),
    [next.name],
  );
});

test("describe returns what plan compares with", async () => {
  const { payload, error } = await invoke(world.lambda, world.names.function("personalize-manager"), {
    action: "describe",
    metrics: true,
  });
  assert.is(error, undefined);
  const { dataset_group, datasets, filters, campaigns } = payload as Inventory;
  assert.equal(
    [dataset_group?.status, datasets.length, filters.length, campaigns[0]?.status],
    ["ACTIVE", 3, 29, "ACTIVE"],
  );
  assert.ok(payload.solutions[0]?.versions[0]?.metrics);
});

test("does not delete a dataset in use", async () => {
  world.control.failNext("DeleteDataset", { code: "ResourceInUseException" });
  const name = world.names.dataset("item");
  const schema = world.names.schema("item", DEFINITIONS.schemas.item);
  const input = { kind: "dataset", name, dataset: "item", schema, deletable: true } as const;
  const failure = await world.manage("delete", input).catch(String);
  assert.match(String(failure), `The dataset ${name} is in use by Personalize itself.`);
});

test("changes tags and the schema of a dataset in place", async () => {
  const [group] = basicInputs(world.names);
  if (group?.kind !== "dataset_group") throw new Error("the first input is not the dataset group");
  const tagged = { ...group, tags: { team: "search" } };
  const { arn } = await world.manage("update", tagged, group);
  const tagsOf = async () =>
    (await world.personalize.send(new ListTagsForResourceCommand({ resourceArn: arn ?? "" }))).tags;
  assert.equal(await tagsOf(), [{ tagKey: "team", tagValue: "search" }]);
  await world.manage("update", group, tagged);
  assert.equal(await tagsOf(), []);

  const { user } = DEFINITIONS.schemas;
  const schema = {
    ...user,
    fields: [...user.fields, { name: "NICKNAME", type: ["null" as const, "string" as const] }],
  };
  const name = world.names.schema("user", schema);
  await world.manage("create", { kind: "schema", name, schema });
  await untilDone("update", { kind: "dataset", name: world.names.dataset("user"), dataset: "user", schema: name });
  const { datasets } = await readInventory(world.personalize, world.names);
  assert.equal(datasets.find(({ dataset }) => dataset === "user")?.schema, schema);
});

test("rejects an event that is not from Terraform, and says what is wrong", async () => {
  const { error, payload } = await invoke(world.lambda, world.names.function("personalize-manager"), {
    kind: "filter",
    tf: { action: "create", prev_input: null },
  });
  assert.is(error, "Unhandled");
  assert.is(payload.errorType, "ManagerError");
  assert.match(payload.errorMessage, /The event is not the desired state of a resource[\s\S]*at expression/);
});

test("its role needs permissions here that the end-to-end run does not", () =>
  checkNeededHere({ cloud: world.cloud, project: "managed" }, "personalize-manager.test"));

test.run();
