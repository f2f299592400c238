import type { Command } from "commander";
import * as v from "valibot";
import type { Names, Service } from "../../lib/naming/names.ts";
import type { ExitCode } from "../command.ts";
import { Failure } from "../errors.ts";
import type { Runner, StackFolder } from "../terraform/stack.ts";
import { deployedStacks, type RemovalOptions, removeStacks } from "./removal.ts";
import { SERVICES } from "./services.ts";
import { accountOf, namesIn, runnerOf, type Session } from "./session.ts";
import { isDeployed, refuseWithoutState } from "./still-deployed.ts";

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
  /** Throws for what would keep the removal of these stacks from its end, before the question. */
  check?: (stacks: readonly StackFolder[], removal: Removal) => Promise<void>;
  /** Runs before a stack is removed. True: it has changed the stack. */
  beforeStack?: (stack: StackFolder, removal: Removal) => Promise<boolean>;
}

/** Removes one service, and what services share when asked for and nobody else uses it. Bucket and parameters stay. */
export async function removeService(session: Session, wanted: ServiceRemoval): Promise<ExitCode> {
  const { service, destroyInfra, notice, check, beforeStack } = wanted;
  const runner = await runnerOf(session);
  const account = await accountOf(session);
  const removal: Removal = { session, runner, account, names: namesIn(session, account) };
  const infrastructure = destroyInfra === "true";
  if (infrastructure) await refuseWhileShared(removal, service);
  const { stacks } = SERVICES[service];
  const deployed = await deployedStacks(
    session,
    runner,
    account,
    infrastructure ? [...stacks, "foundation"] : [...stacks],
  );
  if (!deployed.some(({ name }) => stacks.some((stack) => stack === name))) await refuseWithoutState(removal, service);
  const { terminal } = session;
  if (deployed.length === 0) {
    terminal.note("There is nothing to remove.");
    return 0;
  }
  await check?.(deployed, removal);
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

async function refuseWhileShared(removal: Removal, service: Service): Promise<void> {
  const other: Service = service === "recommendation" ? "search-gateway" : "recommendation";
  if (!(await isDeployed(removal, other))) return;
  const { command, words } = SERVICES[other];
  throw new Failure(
    `The ${words} is deployed and uses what --destroy-infra true would remove: ` +
      `give --destroy-infra false, or remove it first with \`relevance ${command}\``,
  );
}
