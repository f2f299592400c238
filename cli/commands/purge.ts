import { Failure } from "../../lib/platform/failure.ts";
import { defineCommand } from "../command.ts";
import { deleteParameters, parametersBelow } from "../discovery/sdk/parameters.ts";
import { yes } from "../options.ts";
import { openSession, type TerraformProject, withTerraform } from "../project.ts";
import { lostKeyAdvice, lostKeyAliases } from "../remove/lost-keys.ts";
import { removeStacks } from "../remove/remove-service.ts";
import { SERVICE_NAMES, SERVICES } from "../services.ts";
import { bucketExists, deleteBucket, emptyBucket } from "../state/buckets.ts";
import { deployedStacks } from "../state/stacks.ts";
import { refuseWithoutState } from "../state/still-deployed.ts";

/** `relevance purge`: removes what `destroy` and `uninstall` keep. Skips what no longer exists. */
export const command = defineCommand({
  example: "relevance purge --conf conf",
  about:
    "It removes the bucket with all its objects (events, request log, trainings, configuration files), all parameters of the\n" +
    "project and its keys. Nothing but API Gateway's log role stays. It asks for the project's name.",
  options: yes("remove without asking"),
  run: async ({ conf, yes }, context) => {
    const project = await withTerraform(await openSession(conf, context));
    const { terminal, config, sdk, names } = project;
    await refuseWhileDeployed(project);

    const bucket = names.bucket();
    const parameters = await parametersBelow(sdk, names.parameterPrefix());
    // Must run before the bucket and the parameters are deleted, because it uses them as evidence.
    const traces = { bucket: await bucketExists(sdk, bucket), parameters };
    const lost = await lostKeyAliases(project, traces);
    const empty = async () => {
      if (!(await bucketExists(sdk, bucket))) return;
      const deleted = await emptyBucket(sdk, bucket, (number) =>
        terminal.note(`  ${bucket}: ${number} object versions deleted`),
      );
      if (deleted === 0) terminal.note(`  ${bucket}: already empty`);
    };
    const name = config.project.project_name;
    const stacks = await deployedStacks(project, ["storage", "foundation"]);
    terminal.note(
      `This deletes bucket ${bucket} with all its objects, all parameters under ${names.parameterPrefix()}, and the project's keys.`,
    );
    await removeStacks(project, stacks.toReversed(), {
      yes,
      question: `All data of ${name} will be lost.`,
      answer: name,
      before: empty,
    });
    // The bucket may exist without being in any state, if the state was lost or the bucket was removed from it.
    if (await bucketExists(sdk, bucket)) {
      await empty();
      await deleteBucket(sdk, bucket);
    }
    await deleteParameters(sdk, parameters);
    terminal.note(`Removed the bucket and ${parameters.length} parameters. AWS deletes the keys after 30 days.`);
    for (const line of lostKeyAdvice(lost, sdk.region)) terminal.note(line);
  },
});

async function refuseWhileDeployed(project: TerraformProject): Promise<void> {
  for (const service of SERVICE_NAMES) {
    const { stacks, command } = SERVICES[service];
    const [deployed] = await deployedStacks(project, stacks);
    if (deployed) {
      throw new Failure(
        `Stack ${deployed.name} is still deployed and needs the bucket and the parameters: run \`relevance ${command}\` first`,
      );
    }
    await refuseWithoutState(project, service);
  }
}
