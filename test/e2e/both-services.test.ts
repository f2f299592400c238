// Both services from the first deployment to nothing, by the commands that a user gives: Terraform against the local cloud,
// a real cluster, the local Personalize. Each test goes on where the one before has ended.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { writeDemoFiles } from "../../local/demo-data/files.ts";
import { terraform } from "../infrastructure/project.ts";
import { proveGateway } from "../infrastructure/prove-gateway.ts";
import { suite } from "../suite.ts";
import { call, type Served, serveGateway, serveRecommendation } from "./served-services.ts";
import { underLoad } from "./under-load.ts";
import { createWorld, type Step, type World } from "./world.ts";

const test = suite("both services, from deploy to nothing");

if (terraform) {
  const world = await createWorld();
  test.after(async () => {
    rmSync(world.project.folder, { recursive: true, force: true });
    await world.cloud.stop();
  });
  const services = deployment(test, world);
  recommending(test, world, services);
  changes(test, world, services);
  removal(test, world, services);
} else {
  test.skip("deployed to the local cloud (no Terraform of at least 1.10 on PATH or as TERRAFORM_BINARY)", () => {});
}

test.run();

/** The services as they are served now. */
interface Services {
  gateway: Served;
  recommendation: Served;
}

/** A command that has to succeed; what it printed. */
async function succeeds({ project }: World, ...args: string[]) {
  const run = await project.relevance(...args);
  assert.is(run.code, 0, `relevance ${args.join(" ")} ended with ${run.code}:\n${run.out}\n${run.err}`);
  return run;
}

function deployment(step: Step, world: World): Services {
  const services = {} as Services;

  step("one deploy brings up both, in the five named steps", async () => {
    const { out, err } = await succeeds(world, "deploy", "--yes");
    assert.equal(
      [...err.matchAll(/^Step \d of 5: (.+)$/gm)].map(([, title]) => title),
      [
        "synchronize configuration files",
        "initialize personalization resources",
        "synchronize filters",
        "deploy infrastructure",
        "deploy API services",
      ],
    );
    assert.match(out, /^search-gateway\n {2}URL {6}\S+\n {2}API key {2}\S{20,}$/m);
    assert.match(out, /^recommendation\n {2}URL {6}\S+\n {2}API key {2}\S{20,}$/m);
    services.gateway = await serveGateway(world);
    services.recommendation = await serveRecommendation(world);
    await proveGateway(services.gateway.url, services.gateway.key);
  });

  step("status shows the resources that the manager made, and no campaign yet", async () => {
    const { out } = await succeeds(world, "status", "--json");
    const status = JSON.parse(out);
    assert.is(status.dataset_group.status, "ACTIVE");
    assert.equal(
      status.filters.map(({ status }: { status: string }) => status),
      ["ACTIVE", "ACTIVE"],
    );
    assert.equal([status.datasets.length, status.campaigns.length], [3, 0]);
  });

  step("before the training a recommendation is 503 not_trained", async () => {
    const asked = { user_id: "U1", limit: 5, filter_name: "", filter_value_dict: {} };
    const { status, body } = await call(services.recommendation, "/recommend-items-to-user", asked);
    assert.equal([status, body.error?.code], [503, "not_trained"]);
  });
  return services;
}

function recommending(step: Step, world: World, services: Services): void {
  const { project, data } = world;
  const user = data.readers[0]?.USER_ID ?? "";
  const recommend = (more: object = {}) =>
    call(services.recommendation, "/recommend-items-to-user", {
      user_id: user,
      limit: 10,
      filter_name: "",
      filter_value_dict: {},
      ...more,
    });

  step("the demo's files are uploaded over HTTP, and none is rejected", async () => {
    const files = await writeDemoFiles(data, join(project.folder, "demo"));
    const { url, key } = services.recommendation;
    const { out } = await succeeds(
      world,
      ...["upload-sample", "--users", files.users, "--items", files.items, "--interactions", files.interactions],
      ...["--api-host", url, "--api-key", key, "--json"],
    );
    const uploaded = JSON.parse(out);
    assert.match(JSON.stringify(uploaded), `"accepted":${data.interactions.length}`);
    assert.not.match(JSON.stringify(uploaded), /"rejected":[1-9]/);
  });

  step("train init brings campaigns that answer, for a user, for an item, in a user's order", async () => {
    const { out } = await succeeds(world, "train", "--training-mode", "init", "--wait");
    assert.is(out.match(/the new version is active/g)?.length, 3, out);
    const forUser = await recommend();
    assert.is(forUser.status, 200, JSON.stringify(forUser.body));
    assert.is(forUser.body.degraded, undefined, JSON.stringify(forUser.body.degraded));
    assert.is(forUser.body.response?.items?.length, 10);
    const item_id = data.interactions[0]?.ITEM_ID;
    const like = await call(services.recommendation, "/recommend-items-to-item", {
      item_id,
      limit: 5,
      filter_name: "",
      filter_value_dict: {},
    });
    assert.equal([like.status, like.body.degraded, like.body.response?.items?.length], [200, undefined, 5]);
    const item_ids = data.books.slice(0, 20).map(({ id }) => id);
    const ranked = await call(services.recommendation, "/rank-items-to-user", { user_id: user, item_ids });
    assert.is(ranked.status, 200, JSON.stringify(ranked.body));
    assert.is(ranked.body.degraded, undefined);
    assert.equal(ranked.body.response?.items?.map(({ ITEM_ID }) => ITEM_ID).sort(), item_ids.toSorted());
  });

  step("a filter leaves only what it includes", async () => {
    const { status, body } = await recommend({ filter_name: "category", filter_value_dict: { CATEGORY: "History" } });
    assert.is(status, 200, JSON.stringify(body));
    assert.ok((body.response?.items?.length ?? 0) > 0);
    for (const { CATEGORIES = "" } of body.response?.items ?? []) assert.ok(CATEGORIES.split("|").includes("History"));
  });

  step("events of a user are excluded by a filter at once: they went to Personalize in real time", async () => {
    const before =
      (await recommend({ filter_name: "unseen" })).body.response?.items?.map(({ ITEM_ID }) => ITEM_ID) ?? [];
    const events = before.slice(0, 3).map((ITEM_ID) => ({
      USER_ID: user,
      ITEM_ID,
      EVENT_TYPE: "view",
      IMPRESSION: before.slice(0, 5),
    }));
    const logged = await call(services.recommendation, "/log-event", { events });
    assert.equal([logged.status, logged.body.response?.accepted, logged.body.degraded], [200, 3, undefined]);
    const after =
      (await recommend({ filter_name: "unseen" })).body.response?.items?.map(({ ITEM_ID }) => ITEM_ID) ?? [];
    assert.is(after.length, 10);
    for (const { ITEM_ID } of events) assert.not.ok(after.includes(ITEM_ID), `${ITEM_ID} was seen`);
  });

  step("train update_dataset_group retrains with what was logged", async () => {
    const { out } = await succeeds(world, "train", "--training-mode", "update_dataset_group", "--wait");
    assert.match(out, /user_personalization: the new version is (active|held back)/);
    const { status, body } = await recommend();
    assert.equal([status, body.degraded], [200, undefined], JSON.stringify(body));
  });
}

function changes(step: Step, world: World, services: Services): void {
  const { project, data, names } = world;
  const user = data.readers[1]?.USER_ID ?? "";

  step("with the campaign's ARN in api.yaml, searches are ranked for the user", async () => {
    const { out } = await succeeds(world, "list", "--json");
    const campaign = names.arn("personalize", `campaign/${names.campaign("personalized_ranking")}`);
    assert.match(out, campaign);
    project.edit(["api.yaml", ["personalized_ranking"], { campaign_arn: campaign }]);
    await succeeds(world, "deploy", "--yes");
    await services.gateway.stop();
    services.gateway = await serveGateway(world);

    const docs = data.books
      .slice(0, 60)
      .map(({ id, title }) => ({ id, op: "index", doc: { text: `a book: ${title}` } }));
    const index = "catalogue";
    await call(services.gateway, `/raw-backend/${index}`, undefined, "DELETE");
    const bulk = await call(services.gateway, "/application/bulk", { index, bulk_request: docs });
    assert.is(bulk.status, 200, JSON.stringify(bulk.body));
    await call(services.gateway, `/raw-backend/${index}/_refresh`, undefined);
    const search = async (rules: object) => {
      const { status, body } = await call(services.gateway, "/application/search", {
        index,
        user_id: user,
        business_rules: rules,
        search_request: { query: { match: { text: "book" } }, size: 20 },
      });
      assert.is(status, 200, JSON.stringify(body));
      assert.is(body.degraded, undefined, JSON.stringify(body.degraded));
      return body.search_response?.hits.hits.map(({ _id }) => _id) ?? [];
    };
    const plain = await search({});
    const personal = await search({ is_personalized_enabled: true, personalization_weight: 1 });
    assert.equal([plain.length, personal.length], [20, 20]);
    assert.is.not(personal.join(), plain.join());
  });

  step("then a plan is empty", async () => {
    const { out, code, err } = await project.relevance("plan", "--detailed-exitcode");
    assert.match(out, "\nNothing to change.\n", err);
    assert.is(code, 0);
  });

  step("a changed filter is deployed under load: no request fails, and the new one serves", async () => {
    const file = join(project.folder, "conf", "filter.yaml");
    const changed = readFileSync(file, "utf8").replace('IN ("view", "purchase")', 'IN ("purchase")');
    writeFileSync(file, changed);
    const requests = await underLoad(
      [
        () =>
          call(services.recommendation, "/recommend-items-to-user", {
            user_id: user,
            limit: 5,
            filter_name: "unseen",
            filter_value_dict: {},
          }),
        () =>
          call(services.gateway, "/application/search", {
            index: "catalogue",
            search_request: { query: { match: { text: "book" } } },
          }),
      ],
      async () => {
        const { out } = await succeeds(world, "deploy", "--yes");
        assert.match(out, "± aws_lambda_invocation.filter-unseen");
      },
    );
    assert.ok(requests.count > 100, `only ${requests.count} requests were made`);
    assert.equal(requests.failures, []);
    const { filters } = JSON.parse((await succeeds(world, "status", "--json")).out);
    const unseen = filters.filter(({ name }: { name: string }) => name.startsWith(names.filterPrefix("unseen")));
    assert.equal(
      unseen.map(({ expression, status }: Record<string, string>) => [expression, status]),
      [['EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("purchase")', "ACTIVE"]],
    );
  });
}

function removal(step: Step, world: World, services: Services): void {
  step("uninstall is refused as long as what it would take is shared", async () => {
    const { err, code } = await world.project.relevance("uninstall", "--destroy-infra", "true", "--yes");
    assert.match(err, "The search gateway is deployed and uses what --destroy-infra true would remove");
    assert.is(code, 1);
  });

  step("uninstall stops training, removes campaigns, solutions and all the rest of its service", async () => {
    const { err } = await succeeds(world, "uninstall", "--destroy-infra", "false", "--yes");
    await services.recommendation.stop();
    assert.match(err, "Training is stopped, campaigns and solutions are removed");
    assert.match(err, "Removing personalization");
    const listed = JSON.parse((await succeeds(world, "list", "--json")).out);
    assert.equal(listed.personalize, []);
    assert.equal(stacksOf(listed), ["foundation", "search-gateway", "storage"]);
    await proveGateway(services.gateway.url, services.gateway.key);
  });

  step("uninstall again finds nothing to remove", async () => {
    const { err } = await succeeds(world, "uninstall", "--destroy-infra", "false", "--yes");
    assert.match(err, "There is nothing to remove.");
  });

  step("destroy removes the rest; the list holds the bucket and its keys alone", async () => {
    await services.gateway.stop();
    await succeeds(world, "destroy", "--destroy-infra", "true", "--yes");
    const listed = JSON.parse((await succeeds(world, "list", "--json")).out);
    assert.equal([stacksOf(listed), listed.personalize], [["storage"], []]);
  });
}

/** The stacks that still hold anything. */
function stacksOf({ terraform: found }: { terraform: readonly { stack: string }[] }): string[] {
  return [...new Set(found.map(({ stack }) => stack))].sort();
}
