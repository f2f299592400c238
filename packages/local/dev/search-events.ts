import { searchEvents } from "@relevance/lib/infrastructure/functions.ts";
import type { ProxyHandler } from "@relevance/lib/platform/http/event.ts";
import type { Names } from "@relevance/lib/platform/naming/names.ts";
import type { BundleOptions, LoadedBundle } from "@relevance/local-aws/api/load-bundle.ts";
import type { Cloud } from "@relevance/local-aws/cloud/front.ts";
import { routes } from "../../../functions/search-events/routes.ts";
import { bundleFile } from "./bundles.ts";
import { variablesOfRole } from "./deployed-roles.ts";

export interface SearchEventsOptions {
  cloud: Pick<Cloud, "endpoint" | "env">;
  names: Names;
  /** Folder of the built functions. */
  outdir: string;
  /** API_KEYS of the function. */
  keyEnvironment: string;
  load: (options: BundleOptions) => Promise<LoadedBundle>;
}

/** Returns the handler that fills the delivery stream of events. */
export async function loadSearchEvents(options: SearchEventsOptions): Promise<ProxyHandler> {
  const { cloud, names, outdir } = options;
  const env = {
    ...cloud.env,
    ...(await variablesOfRole(cloud, names, "search-events")),
    ...searchEvents(names).environment,
    API_KEYS: options.keyEnvironment,
  };
  return (await options.load({ file: bundleFile(outdir, "search-events"), env })).handler;
}

/** Returns a handler that passes each request to the function of its resource, as API Gateway does. */
export function withEvents(router: ProxyHandler, events: ProxyHandler): ProxyHandler {
  const paths = new Set<string>(routes.map(({ path }) => path));
  return (event, context) => (paths.has(event.resource) ? events : router)(event, context);
}
