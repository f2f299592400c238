import type { Family } from "../../lib/platform/http/router.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";

/** Loads a family. Each is a chunk of the bundle, loaded by its first request. */
export async function loadFamily(family: string, services: GatewayServices): Promise<Family> {
  switch (family) {
    case "bulk":
      return (await import("./bulk.ts")).bulkFamily(services);
    case "search":
      return (await import("./search.ts")).searchFamily(services);
    case "hybrid-search":
      return (await import("./hybrid-search.ts")).hybridSearchFamily(services);
    case "suggest":
      return (await import("./suggest.ts")).suggestFamily(services);
    case "multi-search":
      return (await import("./multi-search.ts")).multiSearchFamily(services);
    case "raw-backend":
      return (await import("./raw-backend.ts")).rawBackendFamily(services);
    case "mcp":
      return (await import("./mcp.ts")).mcpFamily(services, (name) => loadFamily(name, services));
    default:
      throw new Error(`no family ${family}`);
  }
}
