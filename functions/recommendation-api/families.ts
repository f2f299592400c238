import type { Family } from "../../lib/platform/http/router.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";

/** Loads a family from a chunk of the bundle, at its first request. Those that answer with lists share one. */
export async function loadFamily(family: string, services: RecommendationServices): Promise<Family> {
  switch (family) {
    case "recommend":
    case "rank":
    case "placements":
      return (await import("./recommend.ts")).recommendFamily(services);
    case "ingest":
      return (await import("./ingest.ts")).ingestFamily(services);
    case "mcp":
      return (await import("./mcp.ts")).mcpFamily(services, (name) => loadFamily(name, services));
    default:
      throw new Error(`no family ${family}`);
  }
}
