import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import { preflights } from "@relevance/local-aws/api/service.ts";
import { type RunningApi, startApi } from "@relevance/local-aws/api/start.ts";
import type { UsagePlan } from "@relevance/local-aws/api/usage.ts";
import { routes as routerRoutes } from "../../../functions/api-router/routes.ts";
import { routes as eventRoutes } from "../../../functions/search-events/routes.ts";
import type { LocalKeys } from "./api-key.ts";
import { bundleFile } from "./bundles.ts";
import { variablesOfRole } from "./deployed-roles.ts";
import { refuseNativeVectors } from "./knn-guard.ts";
import type { DevCluster } from "./opensearch.ts";
import type { Scope } from "./scope.ts";
import { openSearchEvents, type SearchEventsOptions, withEvents } from "./search-events.ts";

interface GatewayOptions extends Omit<SearchEventsOptions, "keyEnvironment"> {
  cluster: Pick<DevCluster, "own">;
  configuration: Pick<Configuration, "api">;
  /** The environment of api-router, besides its role and keys. */
  environment: Readonly<Record<string, string>>;
  onRequestLog: (line: string) => void;
  keys: LocalKeys;
  usage: UsagePlan;
  port?: number;
  scope: Scope;
}

/** Serves the functions of the search gateway as one API. Adds it to the scope. */
export async function startGateway(options: GatewayOptions): Promise<RunningApi> {
  const { cloud, cluster, configuration, names, outdir, keys, usage, port, scope, load } = options;
  const bundle = await load({
    file: bundleFile(outdir, "api-router"),
    env: {
      ...cloud.env,
      ...(await variablesOfRole(cloud, names, "api-router")),
      ...options.environment,
      API_KEYS: keys.environment,
    },
    onRequestLog: options.onRequestLog,
  });
  scope.add(bundle.release);
  const events = await openSearchEvents({ ...options, keyEnvironment: keys.environment });
  const router = cluster.own ? refuseNativeVectors(bundle.handler) : bundle.handler;
  const routes = [...routerRoutes, ...eventRoutes];
  const { cors } = configuration.api;
  const api = await startApi({
    services: [
      {
        ...{ routes, handler: withEvents(router, events), keys: keys.values, usage },
        ...{ options: preflights(routes, cors), origins: cors?.allow_origins },
      },
    ],
    ...(port !== undefined && { port }),
  });
  scope.add(() => api.stop());
  return api;
}
