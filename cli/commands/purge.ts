import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { bucketExists, deleteBucket, emptyBucket } from "../deploy/buckets.ts";
import { lostKeyAdvice, lostKeyAliases } from "../deploy/lost-keys.ts";
import { deleteParameters, parametersBelow } from "../deploy/parameters.ts";
import { deployedStacks, removeStacks } from "../deploy/removal.ts";
import { accountOf, namesIn, openSession, runnerOf, type Session } from "../deploy/session.ts";
import { Failure } from "../errors.ts";

/** `relevance purge`: removes what `destroy` and `uninstall` leave. What is not there any more is no error. */
export const purge = defineCommand({
  example: "relevance purge --conf conf",
  define: (command) => {
    command.option("--yes", "remove without a question", false);
  },
  options: { yes: v.boolean() },
  run: async ({ conf, yes }, context) => {
    const session = openSession(conf, context);
    const runner = await runnerOf(session);
    const account = await accountOf(session);
    const names = namesIn(session, account);
    const { terminal, config } = { ...session };
    await refuseWhileDeployed(session, runner, account);

    const bucket = names.bucket();
    const parameters = await parametersBelow(session.sdk, names.parameterPrefix());
    // Looked up while what tells of them is there.
    const traces = { bucket: await bucketExists(session.sdk, bucket), parameters };
    const lost = await lostKeyAliases(session, runner, account, { names, traces });
    const empty = async () => {
      if (!(await bucketExists(session.sdk, bucket))) return;
      const deleted = await emptyBucket(session.sdk, bucket, (number) =>
        terminal.note(`  ${bucket}: ${number} object versions deleted`),
      );
      if (deleted === 0) terminal.note(`  ${bucket}: is empty`);
    };
    const project = config.project.project_name;
    const stacks = await deployedStacks(session, runner, account, ["storage", "foundation"]);
    terminal.note(
      `This removes bucket ${bucket} with all objects, and all parameters below ${names.parameterPrefix()}.`,
    );
    await removeStacks(session, runner, stacks.toReversed(), {
      yes,
      question: `All data of ${project} will be lost.`,
      answer: project,
      before: empty,
    });
    // A bucket that no state knows of: its state was lost, or removed from.
    if (await bucketExists(session.sdk, bucket)) {
      await empty();
      await deleteBucket(session.sdk, bucket);
    }
    await deleteParameters(session.sdk, parameters);
    terminal.note(`Removed: the bucket and ${parameters.length} parameters. Keys are deleted by AWS after 30 days.`);
    for (const line of lostKeyAdvice(lost, session.sdk.region)) terminal.note(line);
    return 0;
  },
});

async function refuseWhileDeployed(
  session: Session,
  runner: Awaited<ReturnType<typeof runnerOf>>,
  account: string,
): Promise<void> {
  for (const [stack, remove] of [
    ["search-gateway", "relevance destroy"],
    ["recommendation", "relevance uninstall"],
    ["filters", "relevance uninstall"],
    ["personalization", "relevance uninstall"],
  ] as const) {
    const deployed = await deployedStacks(session, runner, account, [stack]);
    if (deployed.length === 0) continue;
    throw new Failure(`Stack ${stack} is deployed and needs the bucket and the parameters: run \`${remove}\` first`);
  }
}
