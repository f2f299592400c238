import { BulkRequest } from "../../lib/bulk/request.ts";
import { runBulk } from "../../lib/bulk/run.ts";
import type { GatewayServices } from "../../lib/gateway/services.ts";
import { jsonHandler } from "../../lib/http/json-handler.ts";
import type { Family } from "../../lib/http/router.ts";

/** POST /application/bulk */
export function bulkFamily(services: GatewayServices): Family {
  return {
    "/application/bulk": jsonHandler({
      api: services.api,
      schema: BulkRequest,
      splitHint: "Split bulk_request into several requests.",
      handle: (call) => runBulk(services, call),
    }),
  };
}
