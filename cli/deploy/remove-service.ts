import type { Command } from "commander";
import * as v from "valibot";
import type { Names, Service, StackName } from "../../lib/naming/names.ts";
import type { ExitCode } from "../command.ts";
import { Failure } from "../errors.ts";
import type { Runner, StackFolder } from "../terraform/stack.ts";
import { findDeployedApi } from "./deployed-api.ts";
import { deployedStacks, type RemovalOptions, removeStacks } from "./removal.ts";
import { accountOf, namesIn, runnerOf, type Session } from "./session.ts";

/** A service's own stacks in the order in which they go, and the command that removes it. */
const REMOVALS: Readonly<Record<Service, { stacks: readonly StackName[]; command: string; words: string }>> = {
  "search-gateway": { stacks: ["search-gateway"], command: "destroy", words: "search gateway" },
  recommendation: {
    stacks: ["recommendation", "filters", "personalization"],
    command: "uninstall",
    words: "recommendation service",
  },
};

/** The options of `destroy` and `uninstall`. */
export const REMOVAL_OPTIONS = {
  destroyInfra: v.picklist(["true", "false"], "must be true or false"),
  yes: v.boolean(),
};

/** Adds them to a command. */
export function defineRemoval(command: Command): void {
  command
    .requiredOption(
      "--destroy-infra <true|false>",
      "true: what services share goes too, when this is the only one; false: it stays",
    )
    .option("--yes", "remove without a question", false);
}

/** What is known of the account when a removal begins. */
export interface Removal {
  session: Session;
  runner: Runner;
  account: string;
  names: Names;
}

export interface ServiceRemoval {
  service: Service;
  destroyInfra: "true" | "false";
  yes: boolean;
  question: string;
  /** What the user should know before the question. */
  notice?: string;
  /** Runs before a stack is removed. True: it has changed the stack. */
  beforeStack?: (stack: StackFolder, removal: Removal) => Promise<boolean>;
}

/** Removes one service, and what services share when asked for and nobody else uses it. Bucket and parameters stay. */
export async function removeService(session: Session, wanted: ServiceRemoval): Promise<ExitCode> {
  const { service, destroyInfra, notice, beforeStack } = wanted;
  const runner = await runnerOf(session);
  const account = await accountOf(session);
  const removal: Removal = { session, runner, account, names: namesIn(session, account) };
  const infrastructure = destroyInfra === "true";
  if (infrastructure) await refuseWhileShared(removal, service);
  const { stacks } = REMOVALS[service];
  const deployed = await deployedStacks(
    session,
    runner,
    account,
    infrastructure ? [...stacks, "foundation"] : [...stacks],
  );
  const { terminal } = session;
  if (deployed.length === 0) {
    terminal.note("There is nothing to remove.");
    return 0;
  }
  if (notice !== undefined) terminal.note(notice);
  const options: RemovalOptions = { yes: wanted.yes, question: wanted.question };
  if (beforeStack) options.beforeStack = (stack) => beforeStack(stack, removal);
  await removeStacks(session, runner, deployed, options);
  const { names } = removal;
  const kept = infrastructure ? "" : ", what services share";
  terminal.note(
    `Removed. Left: bucket ${names.bucket()}, parameters below ${names.parameterPrefix()}${kept}. ` +
      "`relevance purge` removes bucket and parameters.",
  );
  return 0;
}

async function refuseWhileShared({ session, runner, account, names }: Removal, service: Service): Promise<void> {
  const other: Service = service === "recommendation" ? "search-gateway" : "recommendation";
  const { stacks, command, words } = REMOVALS[other];
  const used = await deployedStacks(session, runner, account, stacks);
  if (used.length === 0 && !(await findDeployedApi(session, names, other))) return;
  throw new Failure(
    `The ${words} is deployed and uses what --destroy-infra true would remove: ` +
      `give --destroy-infra false, or remove it first with \`relevance ${command}\``,
  );
}
