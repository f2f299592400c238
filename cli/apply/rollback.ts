import { Failure } from "../../lib/platform/failure.ts";
import { type FunctionName, LIVE_ALIAS } from "../../lib/platform/naming/names.ts";
import { confirm } from "../confirm.ts";
import type { Project } from "../project.ts";
import { type Deployment, liveVersions, readHistory, type Versions, writeHistory } from "./versions.ts";

/**
 * Functions that stay at their version. Terraform itself calls personalize-manager, and the state machines, which are
 * not rolled back, call etl and training.
 */
const STAYING: readonly FunctionName[] = ["personalize-manager", "etl", "training"];

/** A function whose alias moves to another version. */
export interface Move {
  name: FunctionName;
  from: string;
  to: string;
}

/**
 * Returns the deployment to go back to: the newest recorded one that differs from the live versions. That is the newest
 * of all if a later deployment failed midway or a rollback was interrupted. Undefined if there is none.
 */
export function targetOf(live: Versions, history: readonly Deployment[]): Deployment | undefined {
  return history.find((deployment) => movesTo(live, deployment).length > 0);
}

/** Returns the aliases to move for a target. */
export function movesTo(live: Versions, target: Deployment): Move[] {
  return Object.entries(target.functions).flatMap(([key, to]) => {
    const name = key as FunctionName;
    const from = live[name];
    return from === undefined || from === to || STAYING.includes(name) ? [] : [{ name, from, to }];
  });
}

/** Puts the aliases back to the versions of the deployment before. Can be repeated after any interruption. */
export async function rollBack(project: Project, { yes }: { yes: boolean }): Promise<Move[]> {
  const { terminal, sdk, names } = project;
  const live = await liveVersions(project);
  const history = await readHistory(project);
  const target = targetOf(live, history);
  if (!target) {
    throw new Failure(
      "There is no earlier deployment to return to: `relevance deploy` records the versions of each deployment",
    );
  }
  const moves = movesTo(live, target);
  terminal.print(`Back to the deployment of ${target.at}:`);
  for (const { name, from, to } of moves) terminal.print(`  ${name}: version ${from} → ${to}`);
  await confirm(terminal, { text: "Move these functions?", yes });
  // Written first: after an interruption the target is then the newest recorded deployment, and a repeat completes it.
  await writeHistory(project, history.slice(history.indexOf(target)));
  const { LambdaClient, UpdateAliasCommand } = await import("@aws-sdk/client-lambda");
  const client = new LambdaClient(sdk);
  for (const { name, to } of moves) {
    const command = { FunctionName: names.function(name), Name: LIVE_ALIAS, FunctionVersion: to };
    await client.send(new UpdateAliasCommand(command));
    terminal.note(`  ${name}: version ${to}`);
  }
  return moves;
}
