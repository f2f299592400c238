import * as v from "valibot";
import { type KeyLimits, keysOf } from "../../lib/config/access.ts";
import { DEFAULT_KEY } from "../../lib/core/http/key-rules.ts";
import type { Service } from "../../lib/core/naming/names.ts";
import { deployProject } from "../apply/deploy-project.ts";
import { readParameter, writeParameters } from "../apply/parameters.ts";
import { defineCommand } from "../command.ts";
import { NotAgreed } from "../confirm.ts";
import { findDeployedApi } from "../deployed-api.ts";
import { Failure, UsageError } from "../errors.ts";
import { formatKeyNumbers, numbersOf, parseKeyNumbers, withNumbers } from "../key-numbers.ts";
import { accountOf, namesIn, openSession } from "../session.ts";

const SERVICES = ["search-gateway", "recommendation"] as const satisfies readonly Service[];

/** `relevance rotate-key`: adds a second API key; with --finish, removes the old one. */
export const rotateKey = defineCommand({
  example: [
    "relevance rotate-key --service search-gateway           # both keys are valid",
    "relevance rotate-key --service search-gateway --finish  # after all callers use the new key",
    "relevance rotate-key --service search-gateway --name shop-browser",
  ].join("\n  "),
  define: (command) => {
    command
      .requiredOption("--service <name>", `${SERVICES.join(" or ")}`)
      .option("--name <key>", "the key of api.yaml", DEFAULT_KEY)
      .option("--finish", "remove the old key", false)
      .option("--yes", "apply without asking", false);
  },
  options: {
    service: v.picklist(SERVICES, `must be ${SERVICES.join(" or ")}`),
    name: v.string(),
    finish: v.boolean(),
    yes: v.boolean(),
  },
  run: async ({ conf, service, name, finish, yes }, context) => {
    const session = openSession(conf, context);
    const names = namesIn(session, await accountOf(session));
    if (!(await findDeployedApi(session, names, service))) {
      throw new Failure(`${service} is not deployed, so it has no key to replace: run \`relevance deploy\` first`);
    }
    requireKey(keysOf(session.config.api, service), name, service);
    const parameter = names.apiKeyNumbersParameter(service);
    const before = parseKeyNumbers(await readParameter(session.sdk, parameter));
    if (typeof before === "string") throw new Failure(`parameter ${parameter} contains ${JSON.stringify(before)}`);
    const rotation = `\`relevance rotate-key --service ${service}${name === DEFAULT_KEY ? "" : ` --name ${name}`}`;
    const after = changedNumbers(numbersOf(before, name), finish, { service, rotation });
    await writeParameters(session.sdk, { [parameter]: formatKeyNumbers(withNumbers(before, name, after)) });
    try {
      const code = await deployProject(session, { yes });
      if (!finish) context.terminal.note(`\nGive the new key to all callers, then run ${rotation} --finish\``);
      return code;
    } catch (error) {
      // The user declined, so the next plan must not change keys. After a failed apply, the numbers stay, so that deploy
      // can resume.
      if (error instanceof NotAgreed || error instanceof UsageError)
        await writeParameters(session.sdk, { [parameter]: formatKeyNumbers(before) });
      throw error;
    }
  },
});

function requireKey(keys: readonly KeyLimits[], name: string, service: Service): void {
  const known = keys.map((key) => key.name);
  if (!known.includes(name)) {
    throw new UsageError(`${service} has no key ${name}: --name must be one of ${known.join(", ")}`);
  }
}

function changedNumbers(
  numbers: readonly number[],
  finish: boolean,
  { service, rotation }: { service: Service; rotation: string },
): number[] {
  const newest = Math.max(...numbers);
  if (finish) {
    if (numbers.length > 1) return [newest];
    throw new Failure(`${service} has only one key: run ${rotation}\` first to add the second`);
  }
  if (numbers.length === 1) return [newest, newest + 1];
  throw new Failure(`${service} already has two keys. After all callers use the new one, run ${rotation} --finish\``);
}
