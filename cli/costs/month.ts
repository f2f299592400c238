import type { StackResources } from "../../lib/infrastructure/stack-resources.ts";
import { RECIPE_KINDS, type RecipeKind } from "../../lib/platform/contract/recommendation.ts";
import { campaignSettings } from "../../lib/settings/campaign-settings.ts";
import type { Configuration, Recommendation } from "../../lib/settings/configuration.ts";
import { newRecipes } from "../plan/prices.ts";
import { MONTH_HOURS, type MonthlyUsage, monthlyUsage } from "../plan/summary/usage.ts";

/** The load of a month. */
export interface Load {
  searches: number;
  /** Documents that are written. */
  documents: number;
  users: number;
}

/** Assumptions per unit. The guide on costs names the same figures. */
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
  /** Trainings of a month without a schedule of a rate: one a week. */
  trainings: 4,
  /** Of the built-in engine. */
  trainingSeconds: 60,
  /** Hours billed for one training of one recipe of the first version. */
  trainingHours: 2,
  importedKb: 0.2,
  metrics: 50,
} as const;

/** Trainings of a month by `retraining.schedule`. */
function trainingsOf(schedule = ""): number {
  const [, every, unit = ""] = /^rate\((\d+) (minute|hour|day)/.exec(schedule) ?? [];
  const perDay = { minute: 1_440, hour: 24, day: 1 }[unit];
  return perDay === undefined ? ASSUMED.trainings : (30 * perDay) / Number(every);
}

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
  const isNew = newRecipes(recommendation);
  const idle = monthlyUsage([{ planned_values: { root_module: { resources } } }], "after", isNew);
  const lists = recommendation ? users * ASSUMED.listsPerUser : 0;
  const events = recommendation ? users * ASSUMED.eventsPerUser : 0;
  const bulks = documents / ASSUMED.documentsPerRequest;
  const requests = searches + bulks + lists + events;
  const milliseconds = (searches + lists + events) * ASSUMED.functionMs + bulks * ASSUMED.bulkMs;
  const line = (what: string, service: string | undefined, usage: string, amount: number): MonthlyUsage => ({
    ...{ what, ...(service && { service }), usage, amount },
  });
  const trainings = trainingsOf(recommendation?.solution.retraining?.schedule);
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
              trainings * ASSUMED.trainingSeconds * FUNCTION_GB,
            ),
            line(`${BUILT_IN}, write units`, "AmazonDynamoDB", "WriteRequestUnits", trainings * users + events),
            ...personalizeUsage(recommendation, { lists, events, trainings, isNew }),
          ]
        : []),
    ],
    without: idle.without,
  };
}

/**
 * Returns what Personalize bills besides the minimum of campaigns. The lists are divided among the campaigns that answer.
 * Source: https://aws.amazon.com/personalize/pricing/
 */
function personalizeUsage(
  recommendation: Recommendation,
  { lists, events, trainings, isNew }: { lists: number; events: number; trainings: number; isNew: RecipeKind[] },
): MonthlyUsage[] {
  const { recipes, built_in = [] } = recommendation.solution;
  const kinds = RECIPE_KINDS.filter((kind) => recipes[kind] !== undefined);
  if (kinds.length === 0) return [];
  const answering = kinds.filter((kind) => !built_in.includes(kind));
  const share = lists / Math.max(1, answering.length);
  const interactions = (events * recommendation.personalize.log_lookback_days) / 30;
  const imported = (trainings * interactions + events) * ASSUMED.importedKb;
  return [
    { what: "imports of Personalize", usage: "imported gigabytes", amount: imported / KB_PER_GB },
    ...kinds.flatMap((kind): MonthlyUsage[] => {
      const own = answering.includes(kind) ? share : 0;
      if (isNew.includes(kind)) {
        return [
          { what: "requests of campaigns", usage: "recommendation requests", amount: own },
          { what: "trainings of Personalize", usage: "trained interactions", amount: trainings * interactions },
        ];
      }
      const least = campaignSettings(recommendation, kind).min_provisioned_tps * MONTH_HOURS;
      return [
        { what: "campaigns", usage: "TPS-hours", amount: Math.max(0, own / 3_600 - least) },
        { what: "trainings of Personalize", usage: "training hours", amount: trainings * ASSUMED.trainingHours },
      ];
    }),
  ];
}
