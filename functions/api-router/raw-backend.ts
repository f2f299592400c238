import type { GatewayServices } from "../../lib/gateway/services.ts";
import { plainHandler } from "../../lib/http/plain-handler.ts";
import type { Family } from "../../lib/http/router.ts";
import { rawBackend } from "../../lib/raw-backend/raw-backend.ts";

/** ANY /raw-backend/<endpoint> */
export function rawBackendFamily(services: GatewayServices): Family {
  const handler = plainHandler(services.api, rawBackend(services));
  return { "/raw-backend/{proxy+}": handler, "/raw-backend": handler };
}
