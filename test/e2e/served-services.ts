import { routes } from "../../functions/recommendation-api/routes.ts";
import { invoking } from "../../packages/local-aws/api/deployed-service.ts";
import { type RunningApi, startApi } from "../../packages/local-aws/api/start.ts";
import { readDeployedApi } from "../../packages/local-aws/cloud/deployed-api.ts";
import { serveDeployedApi } from "../infrastructure/served-api.ts";
import type { World } from "./world.ts";

/** A deployed API over HTTP. */
export interface Served {
  url: string;
  key: string;
  stop(): Promise<void>;
}

/** The services as they are served now. */
export interface Services {
  gateway: Served;
  recommendation: Served;
}

/** The answer to a call. */
export interface Answer {
  status: number;
  // Shapes differ by endpoint; each test says what it expects.
  body: {
    error?: { code: string; message: string };
    degraded?: { stage: string; reason: string }[];
    request?: { count?: number };
    response?: { items?: Record<string, string>[]; accepted?: number; rejected?: unknown[] };
    search_response?: { hits: { hits: { _id: string }[] } };
  };
}

/**
 * Serves the recommendation API. Every request invokes the alias in the local cloud, so a new version serves as soon as
 * a deployment switches to it, as in AWS.
 */
export async function serveRecommendation({ cloud, lambda, names }: World): Promise<Served> {
  const api = await readDeployedApi(cloud, names.api("recommendation"), "v1");
  const handler = invoking(lambda, api.function);
  const forbidden = api.methods.filter(({ permitted }) => !permitted);
  if (forbidden.length > 0) throw new Error(`API Gateway may not call the function for ${forbidden[0]?.resource}`);
  // Not throttled here, because the load comes from the test.
  const running = await startApi({ services: [{ basePath: api.stage, routes, keys: api.keys, handler }] });
  return served(running, `${running.url}/${api.stage}`, api.keys);
}

/** Serves the gateway, with the cluster instead of the domain's name, which does not resolve. */
export async function serveGateway({ cloud, names, cluster }: World): Promise<Served> {
  const running = await serveDeployedApi({ cloud, name: names.api("search-gateway"), cluster });
  return served(running, running.url, running.api.keys);
}

function served(running: RunningApi, url: string, keys: readonly string[]): Served {
  const [key] = keys;
  if (key === undefined) throw new Error("no key is valid");
  return { url, key, stop: () => running.stop() };
}

/** Calls a JSON endpoint. */
export async function call({ url, key }: Served, path: string, body: unknown, method = "POST"): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { "x-api-key": key, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}
