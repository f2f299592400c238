import { jsonHandler } from "../../lib/core/http/json-handler.ts";
import type { Family } from "../../lib/core/http/router.ts";
import { BulkRequest } from "../../lib/search/api/bulk/request.ts";
import { runBulk } from "../../lib/search/api/bulk/run.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";

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
