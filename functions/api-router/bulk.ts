import { bytesHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import { readBulk } from "../../lib/search/bulk/operations.ts";
import { runBulk } from "../../lib/search/bulk/run.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";

/** POST /application/bulk */
export function bulkFamily(services: GatewayServices): Family {
  return {
    "/application/bulk": bytesHandler(
      services.api,
      async (_event, call) => runBulk(services, await readBulk(call)),
      "Split bulk_request into several requests.",
    ),
  };
}
