import events from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { type DocumentKind, openDocument } from "../../lib/platform/aws/documents.ts";
import { PACKAGE_FOLDER } from "../../lib/platform/folders.ts";
import { once } from "../../lib/platform/resilience/once.ts";
import { loadConfiguration, loadHybridSearch } from "../../lib/settings/load.ts";
import { apiOptions, keyIn } from "../api-key.ts";
import { type Context, confOf, defineCommand } from "../command.ts";
import { readDevFile } from "../dev-file.ts";
import { addressOf, deployedAddress } from "../gateway/gateway.ts";
import { logBucket } from "../lab/stored-log.ts";
import { number, option } from "../options.ts";
import { readDeployed } from "../plan/deployed.ts";
import { openProject, openSession } from "../project.ts";
import { readStatus } from "../recommendation/status.ts";
import { openTarget } from "../recommendation/target.ts";
import { storedConfiguration } from "../state/configuration-objects.ts";

/** `relevance console`: serves a page that searches, judges, measures and recommends with a gateway. */
export const command = defineCommand({
  example: "relevance console --url https://search.example.com --key-env SEARCH_KEY",
  options: {
    ...apiOptions,
    files: option("--files <dir>", "folder for judgments/ and runs/", v.string(), { default: "." }),
    port: option(
      "--port <number>",
      "port on the loopback interface (default: a free one)",
      v.optional(v.pipe(number(/^\d{1,5}$/, "must be a port"), v.maxValue(65_535, "must be a port"))),
    ),
  },
  run: async ({ url, keyEnv, local, files, port, ...options }, context) => {
    const { openConsole } = await import("../../packages/lab/server/open.ts");
    const { consoleIndexes } = await import("../../packages/lab/server/setup.ts");
    const conf = confOf({ ...options, local });
    const given = url === undefined || local ? {} : { apiHost: url, apiKey: keyIn(context, keyEnv) };
    const gateway = await addressOf({ conf, local, ...given }, context, ["search", "hybrid-search", "raw-backend"]);
    const defaultsFile = join(conf, "hybrid_search.yaml");
    const { recommendation: configured } = existsSync(join(conf, "project.yaml")) ? loadConfiguration(conf) : {};
    const recommendation = await recommendationOf(
      { conf, local, deployed: !local && url === undefined && configured !== undefined },
      options.recommendationUrl && {
        url: options.recommendationUrl,
        key: keyIn(context, options.recommendationKeyEnv ?? keyEnv),
      },
      context,
    );
    const console = await openConsole({
      ...{ sources: join(PACKAGE_FOLDER, "packages/lab/console"), files, conf },
      log: async (service) => logBucket(await openSession(conf, context), local, service),
      gateway: { name: "search gateway", url: trimmed(gateway.url), key: gateway.key },
      ...(recommendation && {
        recommendation: { name: "recommendation service", url: trimmed(recommendation.url), key: recommendation.key },
      }),
      setup: {
        indexes: existsSync(defaultsFile) ? consoleIndexes(loadHybridSearch(conf).hybrid_queries) : [],
        filters: (configured?.filters ?? []).map(({ name, expression }) => ({ name, expression })),
        ...{ standIns: [], local, example: null },
      },
      ...(existsSync(defaultsFile) && { defaultsFile }),
      // The gateway of a given URL may be another deployment than that of the configuration.
      ...((local || url === undefined) &&
        existsSync(join(conf, "project.yaml")) && {
          account: accountPorts(conf, local, context),
        }),
      ...(configured && { status: () => statusOf(conf, local, context) }),
      ...(port !== undefined && { port }),
    });
    context.terminal.print(`Console of ${gateway.url}: ${console.url}`);
    context.terminal.note("Ctrl-C stops it. Whoever can use this machine can use the console, and with it the key.");
    await Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => events.once(process, signal)));
    await console.stop();
  },
});

/** Finds the recommendation service: the given one, that of `make dev`, or the one deployed beside the gateway. */
async function recommendationOf(
  { conf, local, deployed }: { conf: string; local: boolean; deployed: boolean },
  given: { url: string; key: string } | undefined | "",
  context: Context,
): Promise<{ url: string; key: string } | undefined> {
  if (given) return given;
  if (deployed) return deployedAddress(conf, context, "recommendation", ["recommend"]);
  const dev = local ? readDevFile().recommendation : undefined;
  return dev && { url: dev.url, key: dev.api_key };
}

/** Returns how the page opens the documents of the account, which is found on first use. */
function accountPorts(conf: string, local: boolean, context: Context) {
  const account = once(async () => {
    const { names, sdk } = await openProject({ conf, local }, context);
    return { sdk, bucket: names.bucket() };
  });
  return {
    open: async <Value>(kind: DocumentKind<Value>) => openDocument(kind, await account()),
    async deployed() {
      const { sdk, bucket } = await account();
      return readDeployed(await storedConfiguration({ sdk }, bucket)).config;
    },
  };
}

/** Reads what `relevance status` shows. Throws ConsoleError in the words that the command would print. */
async function statusOf(conf: string, local: boolean, context: Context): Promise<unknown> {
  try {
    return await readStatus(await openTarget({ conf, local }, context));
  } catch (error) {
    const { ConsoleError } = await import("../../packages/lab/server/problem.ts");
    throw new ConsoleError(502, "no_status", (error as Error).message, { cause: error });
  }
}

const trimmed = (url: string) => (url.endsWith("/") ? url.slice(0, -1) : url);
