import type { Construct } from "constructs";
import type { ITerraformDependable } from "#cdktf";
import { routes } from "../functions/recommendation-api/routes.ts";
import type { StackName } from "../lib/platform/naming/names.ts";
import { campaignSettings } from "../lib/settings/campaign-settings.ts";
import { apiKeys } from "./constructs/api-keys.ts";
import { deliveryStream } from "./constructs/delivery-stream.ts";
import { logKey } from "./constructs/keys.ts";
import { personalizeResource } from "./constructs/personalize-resource.ts";
import { requestLog } from "./constructs/request-log.ts";
import { restApi } from "./constructs/rest-api.ts";
import { recommendationInput, type StackInput } from "./input.ts";
import { ProjectStack } from "./project-stack.ts";
import { recommendationAlarms } from "./recommendation/alarms.ts";
import { apiFunction, configuredRecipes, etlFunction, trainingFunction } from "./recommendation/functions.ts";
import { recommendationDashboard } from "./recommendation/metrics.ts";
import { changeQueue, realtimeSync } from "./recommendation/realtime.ts";
import { retraining, stateMachines } from "./recommendation/state-machines.ts";
import { tables } from "./recommendation/tables.ts";
import { trainingReport } from "./recommendation/training-report.ts";

/** The recommendation service: API, tables, delivery of changes and events, training, campaigns, alarms. */
export class RecommendationStack extends ProjectStack {
  constructor(scope: Construct, id: StackName, input: StackInput) {
    super(scope, id, input);
    const { event_buffer_seconds: bufferSeconds } = recommendationInput(input).personalize;
    const key = logKey(this, "recommendation", { of: "logs and tables", protect: true });
    const keyArn = key.arn;
    const made = tables(this, keyArn);
    const queue = changeQueue(this);
    realtimeSync(this, queue, keyArn);
    const stream = deliveryStream(this, { name: "events", what: "Interaction events", keyArn, bufferSeconds });

    const etl = etlFunction(this, keyArn);
    const training = trainingFunction(this, keyArn);
    const machines = stateMachines(this, keyArn, { etl, training }, Object.values(made));
    retraining(this, machines.training);
    trainingReport(this, keyArn);
    campaigns(this, [made.training, ...key.ready]);

    const keys = apiKeys(this, "recommendation");
    const deployed = apiFunction(this, { queueUrl: queue.url, keyArn, keys });
    requestLog(this, { kind: "recommendation", source: deployed, streamId: "logs-delivery", logKeyArn: keyArn });
    const host = input.config.api.recommendation_domain_name;
    restApi(this, {
      service: "recommendation",
      // Requests need the tables and the stream.
      parts: [
        { routes, functionName: "recommendation-api", deployed: { ...deployed, ready: [...deployed.ready, stream] } },
      ],
      logKeyArn: keyArn,
      host: host && {
        host: host.host_name,
        certificateArn: host.certificate_arn,
        hostedZoneId: host.hosted_zone_id,
      },
      keys,
    });
    recommendationAlarms(this, bufferSeconds);
    recommendationDashboard(this);
  }
}

/**
 * Adds one campaign for each recipe. Its status is `awaiting training` until training has a version to serve and
 * creates it. Changed TPS or exploration update the campaign in place. `dependsOn` lists what personalize-manager reads: the
 * training table, and the alias that allows it to use the table's key.
 */
function campaigns(stack: ProjectStack, dependsOn: readonly ITerraformDependable[]): void {
  const configured = recommendationInput(stack.input);
  for (const recipe of configuredRecipes(stack)) {
    personalizeResource(stack, `campaign-${recipe.replaceAll("_", "-")}`, {
      desired: {
        kind: "campaign",
        name: stack.names.campaign(recipe),
        recipe,
        ...campaignSettings(configured, recipe),
      },
      dependsOn,
    });
  }
}
