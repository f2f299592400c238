import type * as v from "valibot";
import type { SearchEventsEnv } from "../../functions/search-events/env.ts";
import { searchEventsPolicy } from "../../functions/search-events/policy.ts";
import * as functions from "../../lib/infrastructure/functions.ts";
import { keyEnvironment, type ServiceKey } from "../constructs/api-keys.ts";
import { deliveryStream } from "../constructs/delivery-stream.ts";
import { type DeployedFunction, lambdaFunction } from "../constructs/function.ts";
import { ownSecrets } from "../constructs/own-secrets.ts";
import type { ProjectStack } from "../project-stack.ts";

/** Firehose writes every five minutes, as for the request log. */
const BUFFER_SECONDS = 300;

/** Adds the function that stores events of searches, outside the VPC since it needs no cluster, and its delivery stream. */
export function searchEvents(
  stack: ProjectStack,
  { logKeyArn, keys }: { logKeyArn: string; keys: readonly ServiceKey[] },
): DeployedFunction {
  const { names } = stack;
  const stream = deliveryStream(stack, {
    name: "search-events",
    id: "events-delivery",
    what: "Events of searches",
    keyArn: logKeyArn,
    bufferSeconds: BUFFER_SECONDS,
  });
  const settings = functions.searchEvents(names);
  const environment = { ...settings.environment, ...keyEnvironment(stack, keys) };
  const deployed = lambdaFunction(stack, {
    name: "search-events",
    description: "Events of searches to the delivery stream",
    ...settings,
    environment: environment satisfies v.InferInput<typeof SearchEventsEnv>,
    statements: searchEventsPolicy({
      eventsStream: names.arn("firehose", `deliverystream/${names.stream("search-events")}`),
      ownSecrets: ownSecrets(stack, "search-gateway"),
      logGroup: names.arn("logs", `log-group:${names.functionLogGroup("search-events")}`),
    }),
    logKeyArn,
  });
  return { ...deployed, ready: [...deployed.ready, stream] };
}
