import { PROJECT_TAG } from "../../lib/core/naming/tags.ts";
import { Failure } from "../errors.ts";
import type { Planned } from "../plan/planned.ts";
import type { Session } from "../session.ts";
import { TerraformFailure } from "../terraform/explain.ts";
import {
  type Leftover,
  type LeftoverPlace,
  leftoversIn,
  strangersIn,
  taintedIn,
  writeLeftovers,
} from "../terraform/leftovers.ts";
import { type Runner, type StackFolder, untaint } from "../terraform/stack.ts";

/** Resources that interrupted deployments left behind and this deployment imports, by stack. */
export class Leftovers {
  readonly #place: LeftoverPlace;
  readonly #session: Pick<Session, "config" | "terminal">;
  readonly #found = new Map<string, Leftover[]>();

  constructor(place: LeftoverPlace, session: Pick<Session, "config" | "terminal">) {
    this.#place = place;
    this.#session = session;
  }

  /** Returns whether an apply failed because of such resources, and remembers them for the next plan. */
  async take(error: unknown, { stacks }: Planned, runner: Runner): Promise<boolean> {
    if (!(error instanceof TerraformFailure)) return false;
    const failed = stacks.find(({ stack }) => stack.name === error.stackName);
    if (!failed) return false;
    const { stack, plan } = failed;
    const known = this.#found.get(stack.name) ?? [];
    const fresh = leftoversIn(error.diagnostics, plan, this.#place).filter(
      ({ to }) => !known.some((one) => one.to === to),
    );
    const tainted = taintedIn(error.diagnostics, plan);
    if (fresh.length + tainted.length === 0) return false;
    for (const address of tainted) await untaint(runner, stack, address);
    this.#found.set(stack.name, [...known, ...fresh]);
    const list = [...tainted, ...fresh.map(({ to }) => to)].map((address) => `  ${address}`).join("\n");
    this.#session.terminal.note(
      `An interrupted deployment left these resources behind. Planning again with them:\n${list}`,
    );
    return true;
  }

  /** Throws Failure for resources of the same name that do not belong to this project. */
  check({ stacks }: Planned): void {
    const { project_name: value } = this.#session.config.project;
    for (const { stack, plan } of stacks) {
      const strangers = strangersIn(plan, this.#found.get(stack.name) ?? [], { key: PROJECT_TAG, value });
      if (strangers.length === 0) continue;
      throw new Failure(
        `These resources already exist without the tag ${PROJECT_TAG}=${value}: ${strangers.join(", ")}. ` +
          "They do not belong to this project: remove them, or choose another project_name",
      );
    }
  }

  /** Makes the next plans import the remembered resources. */
  async write(stacks: readonly StackFolder[]): Promise<void> {
    for (const { name, directory } of stacks) await writeLeftovers(directory, this.#found.get(name) ?? []);
  }

  /** Stops the imports, once the resources are in the state. */
  async clear(stacks: readonly StackFolder[]): Promise<void> {
    for (const { directory } of stacks) await writeLeftovers(directory, []);
  }
}
