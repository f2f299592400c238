import type { StackResources } from "../../lib/infrastructure/stack-resources.ts";
import type { RecipeKind } from "../../lib/platform/contract/recommendation.ts";
import { campaignSettings, recipeOf } from "../../lib/settings/campaign-settings.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { MONTH_HOURS, type MonthlyUsage, monthlyUsage } from "../plan/summary/usage.ts";

/** The load of a month. */
export interface Load {
  searches: number;
  /** Documents that are written. */
  documents: number;
  users: number;
}

/** What is assumed of each. The guide on costs names these figures, too. */
export const ASSUMED = {
  answerKb: 10,
  /** Of API Gateway, function and request log. */
  logKb: 3,
  /** A record of Firehose counts as a multiple of this. */
  firehoseKb: 5,
  functionMs: 50,
  documentsPerRequest: 500,
  bulkMs: 2_000,
  listsPerUser: 10,
  eventsPerUser: 20,
  /** Trainings of a month: one a day. */
  trainings: 30,
  trainingSeconds: 60,
  metrics: 50,
} as const;

/** As deployed: see stacks/recommendation/functions.ts. */
const FUNCTION_GB = 1_769 / 1_024;
const KB_PER_GB = 1_048_576;
const BUILT_IN = "training of the built-in engine";

/**
 * Returns the usage of a month under a load: what the configuration has running all the time, and what the load is billed
 * for. `without` names what has no price here.
 */
export function monthUnder(
  { recommendation }: Pick<Configuration, "recommendation">,
  stacks: readonly StackResources[],
  { searches, documents, users }: Load,
) {
  const resources = stacks.flatMap((stack) =>
    Object.entries(stack).flatMap(([type, named]) =>
      Object.entries(named).map(([name, values]) => ({
        ...{ address: `${type}.${name}`, mode: "managed" as const, type, name },
        values: values as Record<string, unknown>,
      })),
    ),
  );
  const idle = monthlyUsage([{ planned_values: { root_module: { resources } } }], "after");
  const lists = recommendation ? users * ASSUMED.listsPerUser : 0;
  const events = recommendation ? users * ASSUMED.eventsPerUser : 0;
  const bulks = documents / ASSUMED.documentsPerRequest;
  const requests = searches + bulks + lists + events;
  const milliseconds = (searches + lists + events) * ASSUMED.functionMs + bulks * ASSUMED.bulkMs;
  const line = (what: string, service: string, usage: string, amount: number): MonthlyUsage => ({
    ...{ what, service, usage, amount },
  });
  const kinds = Object.keys(recommendation?.solution.recipes ?? {}) as RecipeKind[];
  return {
    usage: [
      ...idle.usage,
      line("requests of API Gateway", "AmazonApiGateway", "ApiGatewayRequest", requests),
      line("calls of functions", "AWSLambda", "Request-ARM", requests),
      line("gigabyte-seconds of functions", "AWSLambda", "Lambda-GB-Second-ARM", (milliseconds / 1_000) * FUNCTION_GB),
      line("gigabytes of logs", "AmazonCloudWatch", "DataProcessing-Bytes", (requests * ASSUMED.logKb) / KB_PER_GB),
      line(
        "gigabytes of Firehose",
        "AmazonKinesisFirehose",
        "BilledBytes",
        ((searches + lists + events) * ASSUMED.firehoseKb) / KB_PER_GB,
      ),
      line("traces", "AWSXRay", "XRay-TracesStored", requests / 20),
      line("metrics", "AmazonCloudWatch", "CW:MetricMonitorUsage", ASSUMED.metrics),
      line(
        "gigabytes to the internet",
        "AWSDataTransfer",
        "DataTransfer-Out-Bytes",
        ((searches + lists) * ASSUMED.answerKb) / KB_PER_GB,
      ),
      ...(recommendation
        ? [
            line(
              `${BUILT_IN}, gigabyte-seconds`,
              "AWSLambda",
              "Lambda-GB-Second-ARM",
              ASSUMED.trainings * ASSUMED.trainingSeconds * FUNCTION_GB,
            ),
            line(`${BUILT_IN}, write units`, "AmazonDynamoDB", "WriteRequestUnits", ASSUMED.trainings * users),
          ]
        : []),
    ],
    without: [
      ...idle.without.filter((what) => what !== "campaigns"),
      ...kinds.flatMap((kind) => {
        if (!recommendation) return [];
        const { name } = recipeOf(recommendation, kind);
        const hours = MONTH_HOURS * campaignSettings(recommendation, kind).min_provisioned_tps;
        // Recipes of the second version are billed by use. Source: https://aws.amazon.com/personalize/pricing/
        const billed = name.endsWith("-v2")
          ? `${lists.toLocaleString("en")} requests, and the interactions of each training`
          : `at least ${hours.toLocaleString("en")} TPS-hours, and the hours of each training`;
        return [`${name}: ${billed}`];
      }),
    ],
  };
}
