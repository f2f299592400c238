import { bytesHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";
import { rawBackend } from "../../lib/search/raw/raw-backend.ts";

/** ANY /raw-backend/<endpoint> */
export function rawBackendFamily(services: GatewayServices): Family {
  const api = { ...services.api, nativeErrors: true };
  const handler = bytesHandler(api, rawBackend(services), "Send it in parts.");
  return { "/raw-backend/{proxy+}": handler, "/raw-backend": handler };
}
