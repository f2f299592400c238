import * as v from "valibot";
import type { Service } from "../../lib/core/naming/names.ts";
import { deployProject } from "../apply/deploy-project.ts";
import { readParameter, writeParameters } from "../apply/parameters.ts";
import { defineCommand } from "../command.ts";
import { NotAgreed } from "../confirm.ts";
import { findDeployedApi } from "../deployed-api.ts";
import { Failure, UsageError } from "../errors.ts";
import { accountOf, namesIn, openSession } from "../session.ts";

const SERVICES = ["search-gateway", "recommendation"] as const satisfies readonly Service[];

/** `relevance rotate-key`: adds a second API key; with --finish, removes the old one. */
export const rotateKey = defineCommand({
  example: [
    "relevance rotate-key --service search-gateway           # both keys are valid",
    "relevance rotate-key --service search-gateway --finish  # after all callers use the new key",
  ].join("\n  "),
  define: (command) => {
    command
      .requiredOption("--service <name>", `${SERVICES.join(" or ")}`)
      .option("--finish", "remove the old key", false)
      .option("--yes", "apply without asking", false);
  },
  options: {
    service: v.picklist(SERVICES, `must be ${SERVICES.join(" or ")}`),
    finish: v.boolean(),
    yes: v.boolean(),
  },
  run: async ({ conf, service, finish, yes }, context) => {
    const session = openSession(conf, context);
    const names = namesIn(session, await accountOf(session));
    if (!(await findDeployedApi(session, names, service))) {
      throw new Failure(`${service} is not deployed, so it has no key to replace: run \`relevance deploy\` first`);
    }
    const parameter = names.apiKeyNumbersParameter(service);
    const before = await readParameter(session.sdk, parameter);
    const numbers = (before ?? "1").split(",").map(Number);
    const after = changedNumbers(numbers, finish, service);
    await writeParameters(session.sdk, { [parameter]: after.join(",") });
    try {
      const code = await deployProject(session, { yes });
      if (!finish) context.terminal.note(`\nGive the new key to all callers, then run ${ending(service)}`);
      return code;
    } catch (error) {
      // The user declined, so the next plan must not change keys. After a failed apply, the numbers stay, so that deploy
      // can resume.
      if (error instanceof NotAgreed || error instanceof UsageError)
        await writeParameters(session.sdk, { [parameter]: numbers.join(",") });
      throw error;
    }
  },
});

function changedNumbers(numbers: readonly number[], finish: boolean, service: Service): number[] {
  const newest = Math.max(...numbers);
  if (finish) {
    if (numbers.length > 1) return [newest];
    throw new Failure(
      `${service} has only one key: run \`relevance rotate-key --service ${service}\` first to add the second`,
    );
  }
  if (numbers.length === 1) return [newest, newest + 1];
  throw new Failure(`${service} already has two keys. After all callers use the new one, run ${ending(service)}`);
}

function ending(service: Service): string {
  return `\`relevance rotate-key --service ${service} --finish\``;
}
