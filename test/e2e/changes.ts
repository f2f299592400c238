import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { waitFor } from "../../packages/processes/wait.ts";
import { call, type Services, serveGateway } from "./served-services.ts";
import { underLoad } from "./under-load.ts";
import type { Step, World } from "./world.ts";

/** Changes a deployment that is in use. */
export function changes(step: Step, world: World, services: Services): void {
  const { project, data, names } = world;
  const user = data.readers[1]?.USER_ID ?? "";

  step("ranks searches for the user with the campaign's ARN in api.yaml", async () => {
    const { out } = await project.succeeds("list", "--json");
    const campaign = names.arn("personalize", `campaign/${names.campaign("personalized_ranking")}`);
    assert.match(out, campaign);
    project.edit(["api.yaml", ["personalized_ranking"], { campaign_arn: campaign }]);
    await project.succeeds("deploy", "--yes");
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

  step("leaves nothing to plan", async () => {
    const { out, code, err } = await project.relevance("plan", "--detailed-exitcode");
    assert.match(out, "\nNothing to change.\n", `${out}\n${err}`);
    assert.is(code, 0);
  });

  const unseen = () =>
    call(services.recommendation, "/recommend-items-to-user", {
      user_id: user,
      limit: 5,
      filter_name: "unseen",
      filter_value_dict: {},
    });

  step(
    "a filter that Personalize cannot create fails the deploy with its reason, and the old one keeps serving",
    async () => {
      const file = join(project.folder, "conf", "filter.yaml");
      const changed = readFileSync(file, "utf8").replace('IN ("view", "purchase")', 'IN ("purchase")');
      writeFileSync(file, changed);
      world.personalize.control.failCreation("filter", "The filter service is out of order.");
      const { err, code } = await project.relevance("deploy", "--yes");
      assert.is(code, 1);
      assert.match(
        err,
        /aws_lambda_invocation\.filter-unseen: The filter unseen \(shop-unseen-\d{10}\) is CREATE FAILED: The filter service is out of order\.\n/,
        err,
      );
      assert.not.match(err, "errorType");
      const { status, body } = await unseen();
      assert.equal([status, body.degraded], [200, undefined], JSON.stringify(body));
    },
  );

  step("the next deploy creates the filter under load without a failed request, and the new one serves", async () => {
    const requests = await underLoad(
      [
        unseen,
        () =>
          call(services.gateway, "/application/search", {
            index: "catalogue",
            search_request: { query: { match: { text: "book" } } },
          }),
      ],
      async () => {
        world.holdClock();
        const run = project.start("deploy", "--yes");
        // Takes longer than an invocation, so the deployment says what it waits for and joins it.
        const line = /The filter unseen \(shop-unseen-\d{10}\) is still (CREATE|DELETE) \w+: waiting\n/;
        const early = run.ended.then(({ out, err }) => Promise.reject(new Error(`it ended:\n${out}\n${err}`)));
        early.catch(() => {});
        await waitFor(async () => line.test(run.output()), { what: String(line), timeoutMs: 600_000, abort: early });
        world.releaseClock();
        const { out, err, code } = await run.ended;
        assert.is(code, 0, err);
        assert.match(out, "± aws_lambda_invocation.filter-unseen");
      },
    );
    assert.ok(requests.count > 100, `only ${requests.count} requests were made`);
    assert.equal(requests.failures, []);
    const { filters } = JSON.parse((await project.succeeds("status", "--json")).out);
    const ours = filters.filter(({ name }: { name: string }) => name.startsWith(names.filterPrefix("unseen")));
    assert.equal(
      ours.map(({ expression, status }: Record<string, string>) => [expression, status]),
      [['EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("purchase")', "ACTIVE"]],
    );
  });
}
