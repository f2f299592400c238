import * as assert from "uvu/assert";
import { waitFor } from "../../packages/processes/wait.ts";
import { proveGateway } from "../infrastructure/prove-gateway.ts";
import { call, type Services, serveGateway, serveRecommendation } from "./served-services.ts";
import type { Step, World } from "./world.ts";

/** Deploys both services, and shows what they answer before anything is uploaded. */
export function deployment(step: Step, world: World): Services {
  const services = {} as Services;

  step("one deploy creates both, in five named steps", async () => {
    const { out, err } = await world.project.succeeds("deploy", "--yes");
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
    assert.match(out, /^search-gateway\n {2}URL {6}\S+\n {2}API key {2}\S{20,} {2}default \(/m);
    assert.match(out, /^recommendation\n {2}URL {6}\S+\n {2}API key {2}\S{20,} {2}default \(/m);
    services.gateway = await serveGateway(world);
    services.recommendation = await serveRecommendation(world);
    await proveGateway(services.gateway.url, services.gateway.key);
  });

  step("status shows the resources that the manager created, and no campaign yet", async () => {
    const { out } = await world.project.succeeds("status", "--json");
    const status = JSON.parse(out);
    assert.is(status.dataset_group.status, "ACTIVE");
    assert.equal(
      status.filters.map(({ status }: { status: string }) => status),
      ["ACTIVE", "ACTIVE"],
    );
    assert.equal([status.datasets.length, status.campaigns.length], [3, 0]);
  });

  step("before training, a recommendation is 503 not_trained", async () => {
    const asked = { user_id: "U1", limit: 5, filter_name: "", filter_value_dict: {} };
    const { status, body } = await call(services.recommendation, "/recommend-items-to-user", asked);
    assert.equal([status, body.error?.code], [503, "not_trained"]);
  });

  step("the console finds both services, and its page does not contain their keys", async () => {
    const { out } = await world.project.succeeds("info", "--json");
    const info = JSON.parse(out);
    const run = world.project.start("console");
    const url = await waitFor(async () => /http:\/\/127\.0\.0\.1:\d+$/m.exec(run.output())?.[0], {
      what: "the console's address",
      timeoutMs: 60_000,
      context: run.output,
    });
    const setup = await (await fetch(`${url}/api/setup`, { headers: { "x-relevance-console": "1" } })).text();
    run.kill("SIGINT");
    assert.is((await run.ended).code, 0);
    const { gateway, recommendation } = JSON.parse(setup);
    assert.equal([gateway, recommendation], [info["search-gateway"].url, info.recommendation.url]);
    for (const { key } of Object.values(services)) assert.not.ok(setup.includes(key));
  });
  return services;
}
