import * as v from "valibot";
import type { StackName } from "../../lib/naming/names.ts";
import { defineCommand } from "../command.ts";
import { findDeployedApi } from "../deploy/deployed-api.ts";
import { deployedStacks, removeStacks } from "../deploy/removal.ts";
import { accountOf, namesIn, openSession, runnerOf } from "../deploy/session.ts";
import { Failure } from "../errors.ts";

const RECOMMENDATION: readonly StackName[] = ["recommendation", "filters", "personalization"];

/** `relevance destroy`: removes the search gateway. The bucket and the parameters always stay. */
export const destroy = defineCommand({
  example: "relevance destroy --destroy-infra true",
  define: (command) => {
    command
      .requiredOption(
        "--destroy-infra <true|false>",
        "true: what services share goes too, when this is the only one; false: it stays",
      )
      .option("--yes", "remove without a question", false);
  },
  options: {
    destroyInfra: v.picklist(["true", "false"], "must be true or false"),
    yes: v.boolean(),
  },
  run: async ({ conf, destroyInfra, yes }, context) => {
    const session = openSession(conf, context);
    const runner = await runnerOf(session);
    const account = await accountOf(session);
    const names = namesIn(session, account);
    const infrastructure = destroyInfra === "true";
    if (infrastructure) {
      const used = await deployedStacks(session, runner, account, RECOMMENDATION);
      if (used.length > 0 || (await findDeployedApi(session, names, "recommendation"))) {
        throw new Failure(
          "The recommendation service is deployed and uses what --destroy-infra true would remove: " +
            "give --destroy-infra false, or remove it first with `relevance uninstall`",
        );
      }
    }
    const stacks: StackName[] = infrastructure ? ["search-gateway", "foundation"] : ["search-gateway"];
    const deployed = await deployedStacks(session, runner, account, stacks);
    const { terminal } = context;
    if (deployed.length === 0) {
      terminal.note("There is nothing to remove.");
      return 0;
    }
    terminal.note("Deleting the functions' network interfaces can take AWS 45 minutes.");
    await removeStacks(session, runner, deployed, { yes, question: "Remove all of this?" });
    const kept = infrastructure ? "" : ", what services share";
    terminal.note(
      `Removed. Left: bucket ${names.bucket()}, parameters below ${names.parameterPrefix()}${kept}. ` +
        "`relevance purge` removes bucket and parameters.",
    );
    return 0;
  },
});
