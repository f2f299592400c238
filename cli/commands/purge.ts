import { Failure } from "../../lib/platform/failure.ts";
import { defineCommand } from "../command.ts";
import { deleteParameters, parametersBelow } from "../discovery/sdk/parameters.ts";
import { yes } from "../options.ts";
import { lostKeyAdvice, lostKeyAliases } from "../remove/lost-keys.ts";
import { removeStacks } from "../remove/remove-service.ts";
import { SERVICE_NAMES, SERVICES } from "../services.ts";
import { openPlace, openSession, type Place } from "../session.ts";
import { bucketExists, deleteBucket, emptyBucket } from "../state/buckets.ts";
import { deployedStacks } from "../state/stacks.ts";
import { refuseWithoutState } from "../state/still-deployed.ts";

/** `relevance purge`: removes what `destroy` and `uninstall` keep. Skips what no longer exists. */
export const command = defineCommand({
  example: "relevance purge --conf conf",
  options: yes("remove without asking"),
  run: async ({ conf, yes }, context) => {
    const session = await openSession(conf, context);
    const place = await openPlace(session);
    const { names } = place;
    const { terminal, config } = session;
    await refuseWhileDeployed(place);

    const bucket = names.bucket();
    const parameters = await parametersBelow(session.sdk, names.parameterPrefix());
    // Must run before the bucket and the parameters are deleted, because it uses them as evidence.
    const traces = { bucket: await bucketExists(session.sdk, bucket), parameters };
    const lost = await lostKeyAliases(place, traces);
    const empty = async () => {
      if (!(await bucketExists(session.sdk, bucket))) return;
      const deleted = await emptyBucket(session.sdk, bucket, (number) =>
        terminal.note(`  ${bucket}: ${number} object versions deleted`),
      );
      if (deleted === 0) terminal.note(`  ${bucket}: already empty`);
    };
    const project = config.project.project_name;
    const stacks = await deployedStacks(place, ["storage", "foundation"]);
    terminal.note(
      `This deletes bucket ${bucket} with all its objects, and all parameters under ${names.parameterPrefix()}.`,
    );
    await removeStacks(place, stacks.toReversed(), {
      yes,
      question: `All data of ${project} will be lost.`,
      answer: project,
      before: empty,
    });
    // The bucket may exist without being in any state, if the state was lost or the bucket was removed from it.
    if (await bucketExists(session.sdk, bucket)) {
      await empty();
      await deleteBucket(session.sdk, bucket);
    }
    await deleteParameters(session.sdk, parameters);
    terminal.note(`Removed the bucket and ${parameters.length} parameters. AWS deletes the keys after 30 days.`);
    for (const line of lostKeyAdvice(lost, session.sdk.region)) terminal.note(line);
    return 0;
  },
});

async function refuseWhileDeployed(place: Place): Promise<void> {
  for (const service of SERVICE_NAMES) {
    const { stacks, command } = SERVICES[service];
    const [deployed] = await deployedStacks(place, stacks);
    if (deployed) {
      throw new Failure(
        `Stack ${deployed.name} is still deployed and needs the bucket and the parameters: run \`relevance ${command}\` first`,
      );
    }
    await refuseWithoutState(place, service);
  }
}
