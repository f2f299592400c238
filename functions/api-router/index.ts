import { fileURLToPath } from "node:url";
import { readConfig, readEnvironment } from "../../lib/platform/environment.ts";
import { withProbes } from "../../lib/platform/http/probe.ts";
import { createRouter } from "../../lib/platform/http/router.ts";
import type { GatewaySettings } from "../../lib/search/gateway/settings.ts";
import { ApiRouterEnv } from "./env.ts";
import { loadFamily } from "./families.ts";
import { served } from "./served.ts";
import { createServices } from "./services.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const env = readEnvironment(ApiRouterEnv, process.env);
const settings = readConfig<GatewaySettings>(new URL("config.json", import.meta.url));

const services = await createServices(env, settings, {
  folder,
  // With the credentials of the function's role, which stay valid as long as this process runs.
  variables: () => process.env,
  print: (line) => process.stdout.write(`${line}\n`),
});

const routes = Object.values(served);
const load = (family: string) => loadFamily(family, services);

// Provisioned instances have time for this before their first request.
if (process.env.AWS_LAMBDA_INITIALIZATION_TYPE === "provisioned-concurrency") {
  await Promise.all([services.load(), ...[...new Set(routes.map(({ family }) => family))].map(load)]);
}

export const handler = withProbes(createRouter({ api: services.api, routes, load }), async () => {
  const { probeGateway } = await import("../../lib/search/gateway/probe.ts");
  return () => probeGateway(services);
});
