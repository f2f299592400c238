import * as v from "valibot";
import type { Service } from "../../lib/core/naming/names.ts";
import { deployProject } from "../apply/deploy-project.ts";
import { readParameter, writeParameters } from "../apply/parameters.ts";
import { defineCommand } from "../command.ts";
import { findDeployedApi } from "../deployed-api.ts";
import { Failure, UsageError } from "../errors.ts";
import { NotAgreed } from "../plan/confirm.ts";
import { accountOf, namesIn, openSession } from "../session.ts";

const SERVICES = ["search-gateway", "recommendation"] as const satisfies readonly Service[];

/** `relevance rotate-key`: a second API key beside the first, and, with --finish, the end of the old one. */
export const rotateKey = defineCommand({
  example: [
    "relevance rotate-key --service search-gateway           # both keys are valid from now on",
    "relevance rotate-key --service search-gateway --finish  # when all callers have the new one",
  ].join("\n  "),
  define: (command) => {
    command
      .requiredOption("--service <name>", `${SERVICES.join(" or ")}`)
      .option("--finish", "remove the old key", false)
      .option("--yes", "go on without a question", false);
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
      throw new Failure(`${service} is not deployed: there is no key to change`);
    }
    const parameter = names.apiKeyNumbersParameter(service);
    const before = await readParameter(session.sdk, parameter);
    const numbers = (before ?? "1").split(",").map(Number);
    const after = changedNumbers(numbers, finish, service);
    await writeParameters(session.sdk, { [parameter]: after.join(",") });
    try {
      const code = await deployProject(session, { yes });
      if (!finish) context.terminal.note(`\nGive the new key to all callers, then: ${ending(service)}`);
      return code;
    } catch (error) {
      // Nothing was agreed to: the next plan must not change keys. A deployment that failed half way goes on as begun.
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
    throw new Failure(`${service} has one key: \`relevance rotate-key --service ${service}\` makes the second`);
  }
  if (numbers.length === 1) return [newest, newest + 1];
  throw new Failure(`${service} has two keys already. When all callers have the new one: ${ending(service)}`);
}

function ending(service: Service): string {
  return `\`relevance rotate-key --service ${service} --finish\``;
}
