import * as v from "valibot";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { DEFAULT_KEY } from "../../lib/platform/http/access.ts";
import { keysOf } from "../../lib/settings/access.ts";
import { deployProject } from "../apply/deploy-project.ts";
import { defineCommand } from "../command.ts";
import { NotAgreed } from "../confirm.ts";
import { findDeployedApi } from "../deployed-api.ts";
import { readParameter, writeParameters } from "../discovery/sdk/parameters.ts";
import { formatKeyNumbers, parseKeyNumbers, rotatedNumbers, rotation } from "../key-numbers.ts";
import { flag, option, yes } from "../options.ts";
import { openSession, withTerraform } from "../project.ts";
import { SERVICE_NAMES } from "../services.ts";

/** `relevance rotate-key`: adds a second API key; with --finish, removes the old one. */
export const command = defineCommand({
  example: [
    "relevance rotate-key --service search-gateway           # both keys are valid",
    "relevance rotate-key --service search-gateway --finish  # after all callers use the new key",
    "relevance rotate-key --service search-gateway --name shop-browser",
  ].join("\n  "),
  options: {
    service: option(
      "--service <name>",
      SERVICE_NAMES.join(" or "),
      v.picklist(SERVICE_NAMES, `must be ${SERVICE_NAMES.join(" or ")}`),
    ),
    name: option("--name <key>", "the key of api.yaml", v.string(), { default: DEFAULT_KEY }),
    finish: flag("--finish", "remove the old key"),
    printKeys: flag("--no-print-keys", "print the names of the API keys without their values"),
    ...yes("apply without asking"),
  },
  run: async ({ conf, service, name, finish, yes, printKeys }, context) => {
    const session = await openSession(conf, context);
    const { authorization } = session.config.api;
    if (authorization !== "api_key") {
      throw new UsageError(`There are no API keys to replace: authorization is ${authorization} in api.yaml`);
    }
    const project = await withTerraform(session);
    const { names, sdk } = project;
    if (!(await findDeployedApi(project, service))) {
      throw new Failure(`${service} is not deployed, so it has no key to replace: run \`relevance deploy\` first`);
    }
    const parameter = names.apiKeyNumbersParameter(service);
    const before = parseKeyNumbers(await readParameter(sdk, parameter));
    if (typeof before === "string") throw new Failure(`parameter ${parameter} contains ${JSON.stringify(before)}`);
    const known = keysOf(session.config.api, service).map((key) => key.name);
    const after = rotatedNumbers(before, { service, name, known, finish });
    await writeParameters(sdk, { [parameter]: formatKeyNumbers(after) });
    try {
      const code = await deployProject(project, { yes, printKeys });
      if (!finish) {
        context.terminal.note(`\nGive the new key to all callers, then run ${rotation(service, name, "--finish")}`);
      }
      return code;
    } catch (error) {
      // Restore the old key numbers only if the user declined: after a failed apply, deploy resumes with the new ones.
      if (error instanceof NotAgreed || error instanceof UsageError)
        await writeParameters(sdk, { [parameter]: formatKeyNumbers(before) });
      throw error;
    }
  },
});
