import { throttleOf } from "@relevance/lib/settings/access.ts";
import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import { type MountedService, mount, preflights } from "@relevance/local-aws/api/service.ts";
import { type RunningApi, startApi } from "@relevance/local-aws/api/start.ts";
import type { UsagePlan } from "@relevance/local-aws/api/usage.ts";
import { routes as routerRoutes } from "../../../functions/api-router/routes.ts";
import { routes as eventRoutes } from "../../../functions/search-events/routes.ts";
import type { LocalKeys } from "./api-key.ts";
import { bundleFile } from "./bundles.ts";
import type { LocalClients } from "./clients.ts";
import { variablesOfRole } from "./deployed-roles.ts";
import { refuseNativeVectors } from "./knn-guard.ts";
import type { DevCluster } from "./opensearch.ts";
import { createStream } from "./resources.ts";
import type { Scope } from "./scope.ts";
import { loadSearchEvents, type SearchEventsOptions, withEvents } from "./search-events.ts";

interface GatewayOptions extends Omit<SearchEventsOptions, "keyEnvironment"> {
  clients: LocalClients;
  cluster: Pick<DevCluster, "own">;
  configuration: Pick<Configuration, "api">;
  /** The environment of api-router, besides its role and keys. */
  environment: Readonly<Record<string, string>>;
  /** Absent if another instance of the function passes the lines on already. */
  onRequestLog?: (line: string) => void;
  keys: LocalKeys;
  port?: number;
  scope: Scope;
}

/** The parts of a gateway that its configuration determines. */
export type GatewayVersion = Pick<GatewayOptions, "configuration" | "environment" | "keys" | "outdir">;

/** A gateway that runs. */
export interface Gateway extends RunningApi {
  /** Serves requests from now on with another version. The version before finishes the requests that it has begun. */
  replace(version: GatewayVersion): Promise<void>;
}

/** Serves the functions of the search gateway as one API. Adds it to the scope. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { port, scope } = options;
  await createStream(options.clients.firehose, options, "search-events");
  let service = await loadService(options);
  const api = await startApi({ services: async () => [service], ...(port !== undefined && { port }) });
  scope.add(() => api.stop());
  const { onRequestLog: _, ...others } = options;
  return {
    ...api,
    async replace(version) {
      service = await loadService({ ...others, ...version });
    },
  };
}

async function loadService(options: GatewayOptions): Promise<MountedService> {
  const { cloud, cluster, configuration, names, outdir, keys, scope, load, onRequestLog } = options;
  const bundle = await load({
    file: bundleFile(outdir, "api-router"),
    env: {
      ...cloud.env,
      ...(await variablesOfRole(cloud, names, "api-router")),
      ...options.environment,
      API_KEYS: keys.environment,
    },
    ...(onRequestLog && { onRequestLog }),
  });
  scope.add(bundle.release);
  const events = await loadSearchEvents({ ...options, keyEnvironment: keys.environment });
  const router = cluster.own ? refuseNativeVectors(bundle.handler) : bundle.handler;
  const routes = [...routerRoutes, ...eventRoutes];
  const { cors, throttle } = configuration.api;
  return mount({
    ...{ routes, handler: withEvents(router, events), keys: keys.values, usage: usagePlan(throttle) },
    ...{ options: preflights(routes, cors), origins: cors?.allow_origins },
  });
}

/** Returns the limits of an API key. */
export const usagePlan = (throttle: Configuration["api"]["throttle"]): UsagePlan => ({
  ...throttleOf(throttle),
  ...(throttle.daily_quota !== undefined && { dailyQuota: throttle.daily_quota }),
});
