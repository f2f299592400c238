import {
  ListCampaignsCommand,
  ListDatasetGroupsCommand,
  ListSchemasCommand,
  ListSolutionsCommand,
  PersonalizeClient,
} from "@aws-sdk/client-personalize";
import { DescribeExecutionCommand } from "@aws-sdk/client-sfn";
import * as assert from "uvu/assert";
import { REGION } from "../../packages/local-aws/cloud/account.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { clientOptions } from "../fixtures/cloud.ts";
import { projectResources } from "../infrastructure/project-resources.ts";
import { proveGateway } from "../infrastructure/prove-gateway.ts";
import type { Services } from "./served-services.ts";
import type { Step, World } from "./world.ts";

/** Removes one service and then the other, with interruptions at critical points. */
export function removal(step: Step, world: World, services: Services): void {
  const { project, sfn, cloud } = world;
  const UNINSTALL = ["uninstall", "--destroy-infra", "false", "--yes"];
  let training = "";

  /** Starts the uninstallation and presses Ctrl-C at a line of its output. Returns the output after that line. */
  const interruptedAt = async (line: string) => {
    const run = project.start(...UNINSTALL);
    const early = run.ended.then(({ out, err }): never => {
      throw new Error(`the uninstallation ended before it was interrupted:\n${out}\n${err}`);
    });
    early.catch(() => {});
    await waitFor(async () => run.output().includes(line), { what: line, timeoutMs: 300_000, abort: early });
    run.kill("SIGINT");
    const { err, code } = await run.ended;
    assert.is.not(code, 0);
    return err.slice(err.indexOf(line) + line.length);
  };

  step("uninstall stops a running training; Ctrl-C leaves the teardown running", async () => {
    // The training does not end, because its imports do not.
    world.holdClock();
    const { out } = await project.succeeds("train", "--training-mode", "update_dataset_group");
    training = /^arn:\S+$/m.exec(out)?.[0] ?? "";
    const said = await interruptedAt("Training is stopped, campaigns and solutions are removed");
    assert.match(said, "Ctrl-C leaves it running; the same command resumes it.");
    const { status } = await waitFor(
      async () => {
        const found = await sfn.send(new DescribeExecutionCommand({ executionArn: training }));
        return found.status !== "RUNNING" && found;
      },
      { what: "the training to be stopped", timeoutMs: 60_000 },
    );
    assert.is(status, "ABORTED");
    world.releaseClock();
  });

  for (const line of ["aws_api_gateway_stage.api-stage: deleted", "aws_lambda_invocation.event-tracker: changed"]) {
    step(`uninstall is interrupted at "${line}", and says how to resume`, async () => {
      assert.match(await interruptedAt(line), "run the command again to resume.");
    });
  }

  step("the next uninstall resumes, and removes campaigns, solutions and the rest of the service", async () => {
    await services.recommendation.stop();
    const { err } = await project.succeeds(...UNINSTALL);
    assert.match(err, "Removing personalization");
    assert.equal(await personalizeHas(world), []);
    const listed = JSON.parse((await project.succeeds("list", "--json")).out);
    assert.equal(listed.personalize, []);
    assert.equal(stacksOf(listed), ["foundation", "search-gateway", "storage"]);
    await proveGateway(services.gateway.url, services.gateway.key);
  });

  step("destroy removes the rest, and leaves only bucket, keys, parameters and API Gateway's log role", async () => {
    await services.gateway.stop();
    await project.succeeds("destroy", "--destroy-infra", "true", "--yes");
    const listed = JSON.parse((await project.succeeds("list", "--json")).out);
    assert.equal([stacksOf(listed), listed.personalize], [["storage"], []]);
    // API Gateway's log role is one setting for all APIs of the account.
    assert.equal(await projectResources(cloud, project.name), [`role shop-api-gateway-logs-${REGION}`]);
  });
}

/** Returns the names of the remaining resources, read from Personalize itself. */
async function personalizeHas({ cloud }: World): Promise<string[]> {
  const client = new PersonalizeClient(clientOptions(cloud));
  const [{ datasetGroups = [] }, { schemas = [] }, { solutions = [] }, { campaigns = [] }] = await Promise.all([
    client.send(new ListDatasetGroupsCommand({})),
    client.send(new ListSchemasCommand({})),
    client.send(new ListSolutionsCommand({})),
    client.send(new ListCampaignsCommand({})),
  ]);
  return [...datasetGroups, ...schemas, ...solutions, ...campaigns].map(({ name = "" }) => name);
}

/** Returns the stacks that still have resources. */
function stacksOf({ terraform: found }: { terraform: readonly { stack: string }[] }): string[] {
  return [...new Set(found.map(({ stack }) => stack))].sort();
}
