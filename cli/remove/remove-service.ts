import { rm } from "node:fs/promises";
import * as v from "valibot";
import { Failure } from "../../lib/platform/failure.ts";
import type { Service } from "../../lib/platform/naming/names.ts";
import { applyToTheEnd } from "../apply/apply-to-end.ts";
import { type CommandModule, defineCommand, type ExitCode, resumable } from "../command.ts";
import { confirm } from "../confirm.ts";
import { NothingLocal } from "../local-account.ts";
import { option, yes } from "../options.ts";
import { discardPlans, planAndSave, planStacks } from "../plan/planned.ts";
import { formatSummary } from "../plan/summary/format.ts";
import { openSession, type TerraformProject, withTerraform } from "../project.ts";
import { SERVICES } from "../services.ts";
import { deployedStacks } from "../state/stacks.ts";
import { isDeployed, refuseWithoutState } from "../state/still-deployed.ts";
import type { StackFolder } from "../terraform/stack.ts";
import { refuseWhileOthersUse } from "./endpoint-users.ts";

/** How to remove a service. */
interface ServiceRemoval {
  service: Service;
  question: string;
  /** A note printed before the question. */
  notice?: string;
  /** Runs before the question. Throws if the removal of these stacks could not finish. */
  check?: (stacks: readonly StackFolder[], project: TerraformProject) => Promise<void>;
  /** Runs before a stack is removed. Returns true if it changed the stack. */
  beforeStack?: (stack: StackFolder, project: TerraformProject) => Promise<boolean>;
}

const SHARED = "interface endpoints and alarm topic";
const INFRASTRUCTURE = `With --destroy-infra true also ${SHARED}.`;
const KEPT = "bucket and all other parameters, which `relevance purge` removes, and API Gateway's log role";

/** Creates the command that removes a service. */
export function removalCommand(example: string, wanted: ServiceRemoval): CommandModule {
  const { service } = wanted;
  return defineCommand({
    example,
    about: `It removes ${SERVICES[service].removes}. ${INFRASTRUCTURE}\nIt keeps ${KEPT}.`,
    options: {
      destroyInfra: option(
        "--destroy-infra <true|false>",
        "true also removes what both services share; false keeps it",
        v.picklist(["true", "false"], "must be true or false"),
      ),
      ...yes("remove without asking"),
    },
    run: async ({ conf, destroyInfra, yes }, context) => {
      try {
        const session = await openSession(conf, context);
        const code = await removeService(await withTerraform(session), wanted, {
          infrastructure: destroyInfra === "true",
          yes,
        });
        if (await session.local?.endIfUnused()) {
          context.terminal.note("No service is left, so the local account has ended, with its bucket and parameters.");
        }
        return code;
      } catch (error) {
        if (!(error instanceof NothingLocal)) throw error;
        context.terminal.note(error.message);
        return 0;
      }
    },
  });
}

/** Removes one service, and on request what both share if the other is not deployed. Keeps bucket and parameters. */
async function removeService(
  project: TerraformProject,
  { service, question, notice, check, beforeStack }: ServiceRemoval,
  { infrastructure, yes }: { infrastructure: boolean; yes: boolean },
): Promise<ExitCode> {
  if (infrastructure) await refuseWhileShared(project, service);
  const { stacks } = SERVICES[service];
  const deployed = await deployedStacks(project, infrastructure ? [...stacks, "foundation"] : stacks);
  if (!deployed.some(({ name }) => stacks.some((stack) => stack === name))) await refuseWithoutState(project, service);
  const { terminal, names } = project;
  if (deployed.length === 0) {
    terminal.note("There is nothing to remove.");
    return 0;
  }
  const foundation = deployed.find(({ name }) => name === "foundation");
  if (foundation) await refuseWhileOthersUse(project, foundation);
  await check?.(deployed, project);
  terminal.note(
    `This removes ${SERVICES[service].removes}${infrastructure ? `, and ${SHARED}` : ""}. It keeps ${KEPT}.`,
  );
  if (notice !== undefined) terminal.note(notice);
  const options: RemovalOptions = { yes, question };
  if (beforeStack) options.beforeStack = (stack) => beforeStack(stack, project);
  await removeStacks(project, deployed, options);
  // What is left of the local account ends with it.
  if (project.local) {
    terminal.note("Removed.");
    return 0;
  }
  const kept = infrastructure ? "" : " and the shared infrastructure";
  terminal.note(
    `Removed. Kept: bucket ${names.bucket()}, other parameters under ${names.parameterPrefix()}${kept}. ` +
      "`relevance purge` removes bucket and parameters.",
  );
  return 0;
}

async function refuseWhileShared(project: TerraformProject, service: Service): Promise<void> {
  const other: Service = service === "recommendation" ? "search-gateway" : "recommendation";
  if (!(await isDeployed(project, other))) return;
  const { command, words } = SERVICES[other];
  throw new Failure(
    `The ${words} is deployed and uses what --destroy-infra true would remove: ` +
      `use --destroy-infra false, or remove it first with \`relevance ${command}\``,
  );
}

interface RemovalOptions {
  yes: boolean;
  question: string;
  /** The text to type instead of "yes". */
  answer?: string;
  /** Runs after the user confirms, before anything is removed. */
  before?: () => Promise<void>;
  /** Runs before a stack is removed. Returns true if it changed the stack. */
  beforeStack?: (stack: StackFolder) => Promise<boolean>;
}

/** Shows what will be removed, asks, and removes the stacks in the given order. */
export async function removeStacks(
  { terminal, folders, runner }: TerraformProject,
  stacks: readonly StackFolder[],
  options: RemovalOptions,
): Promise<void> {
  const folder = `${folders.plans}.removal`;
  const planned = await planStacks(runner, stacks, { folder });
  try {
    terminal.print(`\n${formatSummary(planned.summary, terminal.colors)}\n`);
    const { yes, question, answer } = options;
    await confirm(terminal, { text: question, yes, ...(answer !== undefined && { answer }) });
    await resumable(terminal, async () => {
      await options.before?.();
      for (const part of planned.stacks) {
        if (!part.changes) continue;
        terminal.note(terminal.noteColors.bold(`Removing ${part.stack.name}`));
        const again = () => planAndSave(runner, part.stack, folder);
        // A changed stack invalidates its saved plan.
        const current = (await options.beforeStack?.(part.stack)) ? await again() : part;
        await applyToTheEnd(runner, current, { again });
      }
    });
  } finally {
    await discardPlans(planned);
    await rm(folder, { recursive: true, force: true });
  }
}
