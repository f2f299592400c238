import type { Construct } from "constructs";
import { routes } from "../functions/api-router/routes.ts";
import { routes as eventRoutes } from "../functions/search-events/routes.ts";
import type { StackName } from "../lib/core/naming/names.ts";
import { apiKeys } from "./constructs/api-keys.ts";
import { logKey } from "./constructs/log-key.ts";
import { restApi } from "./constructs/rest-api.ts";
import { gatewayInput, type StackInput } from "./input.ts";
import { ProjectStack } from "./project-stack.ts";
import { gatewayAlarms } from "./search-gateway/alarms.ts";
import { gatewayDashboard } from "./search-gateway/dashboard.ts";
import { gatewayHost } from "./search-gateway/domain-name.ts";
import { deployEndpoints } from "./search-gateway/models.ts";
import { gatewayNetwork } from "./search-gateway/network.ts";
import { requestLog } from "./search-gateway/request-log.ts";
import { requestLogTables } from "./search-gateway/request-log-table.ts";
import { routerFunction } from "./search-gateway/router.ts";
import { clusterScaler } from "./search-gateway/scaler.ts";
import { searchEvents } from "./search-gateway/search-events.ts";

/** The search gateway: API, functions, model endpoints, request log, alarms. */
export class SearchGatewayStack extends ProjectStack {
  constructor(scope: Construct, id: StackName, input: StackInput) {
    super(scope, id, input);
    const logKeyArn = logKey(this, "search-gateway").arn;
    const keys = apiKeys(this, "search-gateway");
    const endpoints = deployEndpoints(this, logKeyArn);
    const router = routerFunction(this, { logKeyArn, keys, after: endpoints }, gatewayNetwork(this));
    requestLog(this, router, logKeyArn);
    requestLogTables(this);
    restApi(this, {
      service: "search-gateway",
      parts: [
        { routes, functionName: "api-router", deployed: router },
        { routes: eventRoutes, functionName: "search-events", deployed: searchEvents(this, { logKeyArn, keys }) },
      ],
      logKeyArn,
      host: gatewayHost(this),
      keys,
    });
    const scaling = gatewayInput(input).gateway.opensearch.auto_scaling;
    if (scaling) clusterScaler(this, scaling, logKeyArn);
    gatewayAlarms(this);
    gatewayDashboard(this);
    this.output("router_role_arn", router.role.arn);
  }
}
