import * as v from "valibot";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { type Endpoint, words } from "../../lib/platform/http/access.ts";
import type { Service } from "../../lib/platform/naming/names.ts";
import type { Gateway } from "../../packages/lab/gateway/gateway.ts";
import { givenKey, KEY_VARIABLE, keyOption } from "../api-key.ts";
import type { Context, OptionsOf } from "../command.ts";
import { readDevFile } from "../dev-file.ts";
import { flag, option } from "../options.ts";

/** The options by which a command finds the search gateway. */
export const gatewayOptions = {
  apiHost: option(
    "--api-host <url>",
    `URL of a search gateway whose API key is in ${KEY_VARIABLE} (default: the deployed one)`,
    v.optional(v.pipe(v.string(), v.url("must be a URL"))),
  ),
  local: flag("--local", "use the stack of `make dev`"),
  apiKey: keyOption,
};

type GatewayOptions = { conf: string; local: boolean } & Partial<OptionsOf<typeof gatewayOptions>>;

/** The endpoints that the commands of `relevance index` call, without those that embed documents. */
export const ADMINISTRATION: readonly Endpoint[] = ["administration"];

/** The endpoints of the commands that also embed documents. */
export const EMBEDDING: readonly Endpoint[] = ["administration", "bulk"];

/**
 * Finds the gateway: the given one, that of `make dev`, or the deployed one, with a key that may call the endpoints.
 * Throws Failure and UsageError.
 */
export async function openGateway(
  options: GatewayOptions,
  context: Context,
  endpoints: readonly Endpoint[],
): Promise<Gateway> {
  const { gatewayAt } = await import("../../packages/lab/gateway/gateway.ts");
  return gatewayAt(await addressOf(options, context, endpoints));
}

/** Finds the gateway's URL and key, as {@link openGateway}. Throws Failure and UsageError. */
export async function addressOf(
  options: GatewayOptions,
  context: Context,
  endpoints: readonly Endpoint[],
): Promise<{ url: string; key: string }> {
  const { apiHost, local } = options;
  if (local) {
    const { search } = readDevFile();
    return { url: search.url, key: search.api_key };
  }
  if (apiHost !== undefined) {
    const key = givenKey(options.apiKey, context);
    if (key !== undefined) return { url: apiHost, key };
  }
  if (apiHost !== undefined || options.apiKey !== undefined)
    throw new UsageError(`--api-host and a key belong together: put the key of that API into ${KEY_VARIABLE}`);
  const deployed = await deployedAddress(options.conf, context, "search-gateway", endpoints);
  if (deployed !== undefined) return deployed;
  const wanted = words(endpoints);
  throw new Failure(
    `The search gateway is not deployed, or none of its keys may use ${wanted}. Run \`relevance deploy\`, with an entry of ` +
      `\`keys\` in api.yaml that has \`endpoints: [${endpoints.join(", ")}]\`, or pass --local for \`make dev\`, or ` +
      `--api-host with its key in ${KEY_VARIABLE}`,
  );
}

/**
 * Returns the URL of a deployed service and a key that may call the endpoints; undefined if there is none. Throws
 * UsageError if callers have no API keys.
 */
export async function deployedAddress(
  conf: string,
  context: Context,
  service: Service,
  endpoints: readonly Endpoint[],
): Promise<{ url: string; key: string } | undefined> {
  const { findDeployedApi, keyValueFor } = await import("../deployed-api.ts");
  const { inAccount, openSession } = await import("../project.ts");
  const session = await openSession(conf, context);
  const { authorization, keys } = session.config.api;
  if (authorization !== "api_key") {
    throw new UsageError(
      `This command calls the ${service === "recommendation" ? "recommendation service" : "gateway"} with an API key, and there is none: authorization is ${authorization} in api.yaml. Use --local`,
    );
  }
  const api = await findDeployedApi(await inAccount(session), service);
  const key = api && keyValueFor(api, keys, endpoints);
  return api && key !== undefined ? { url: api.url, key } : undefined;
}
