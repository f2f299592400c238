import type { Family } from "../../lib/core/http/router.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";

/** One chunk of the bundle each, loaded when its first request comes. */
export async function loadFamily(family: string, services: GatewayServices): Promise<Family> {
  switch (family) {
    case "bulk":
      return (await import("./bulk.ts")).bulkFamily(services);
    case "search":
      return (await import("./search.ts")).searchFamily(services);
    case "hybrid-search":
      return (await import("./hybrid-search.ts")).hybridSearchFamily(services);
    case "raw-backend":
      return (await import("./raw-backend.ts")).rawBackendFamily(services);
    default:
      throw new Error(`no family ${family}`);
  }
}
