import { plainHandler } from "../../lib/core/http/plain-handler.ts";
import type { Family } from "../../lib/core/http/router.ts";
import { rawBackend } from "../../lib/search/api/raw-backend/raw-backend.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";

/** ANY /raw-backend/<endpoint> */
export function rawBackendFamily(services: GatewayServices): Family {
  const handler = plainHandler(services.api, rawBackend(services));
  return { "/raw-backend/{proxy+}": handler, "/raw-backend": handler };
}
