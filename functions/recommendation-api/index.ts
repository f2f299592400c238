import { readConfig, readEnvironment } from "../../lib/platform/environment.ts";
import { withProbes } from "../../lib/platform/http/probe.ts";
import { createRouter } from "../../lib/platform/http/router.ts";
import type { RecommendationSettings } from "../../lib/recommendation/service/settings.ts";
import { RecommendationApiEnv } from "./env.ts";
import { loadFamily } from "./families.ts";
import { routes } from "./routes.ts";
import { createServices } from "./services.ts";

const env = readEnvironment(RecommendationApiEnv, process.env);
const settings = readConfig<RecommendationSettings>(new URL("config.json", import.meta.url));
const services = createServices(
  env,
  settings,
  () => process.env,
  (line) => process.stdout.write(`${line}\n`),
);
const load = (family: string) => loadFamily(family, services);

// Provisioned instances have time for this before their first request.
if (process.env.AWS_LAMBDA_INITIALIZATION_TYPE === "provisioned-concurrency") {
  await Promise.all([...new Set(routes.map(({ family }) => family))].map(load));
}

export const handler = withProbes(createRouter({ api: services.api, routes, load }), async () => {
  const { probeRecommendation } = await import("../../lib/recommendation/service/probe.ts");
  return () => probeRecommendation(services);
});
