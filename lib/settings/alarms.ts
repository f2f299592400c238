import * as v from "valibot";
import { RECIPE_KINDS } from "../platform/contract/recommendation.ts";
import type { Names } from "../platform/naming/names.ts";
import { MODELS } from "./embedding-models.ts";
import { arn, numeric, section, text, word } from "./kinds.ts";

/** How urgent an alarm is: `critical` if callers are refused or data is lost, else `warning`. */
export const SEVERITIES = ["critical", "warning"] as const;
export type Severity = (typeof SEVERITIES)[number];

const dashed = (name: string) => name.replaceAll("_", "-");

/** Stages of a search that have an alarm when answers come without them. */
export const ALARMED_STAGES = ["embedding", "synonyms", "rules", "rerank", "personalization"] as const;
export type AlarmedStage = (typeof ALARMED_STAGES)[number];

/** Every alarm that a configuration can have, and its severity unless `alarms.rules` changes it. */
export const ALARMS: Readonly<Record<string, Severity>> = {
  "search-gateway-5xx": "critical",
  "search-gateway-p99": "warning",
  "search-gateway-throttles": "critical",
  ...forEach(ALARMED_STAGES, (stage) => ({ [`search-gateway-degraded-${stage}`]: "warning" })),
  ...forEach(Object.keys(MODELS), (model) => ({
    [`model-${dashed(model)}-latency`]: "warning",
    [`model-${dashed(model)}-errors`]: "warning",
  })),
  "request-log-errors": "warning",
  "request-log-lost": "critical",
  "request-log-unreadable": "warning",
  "request-log-delivery": "warning",
  "search-events-unstored": "warning",
  "search-events-delivery": "warning",
  "cluster-scaler-errors": "warning",
  "suggestions-errors": "warning",
  "built-in-engine-untrained": "warning",
  "recommendation-5xx": "critical",
  "recommendation-p99": "warning",
  "recommendation-throttles": "critical",
  "recommendation-degraded-campaign": "warning",
  "recommendation-degraded-diversity": "warning",
  "recommendation-degraded-fallback": "warning",
  "recommendation-degraded-item-records": "warning",
  "recommendation-degraded-placement": "warning",
  "recommendation-degraded-promotions": "warning",
  "recommendation-degraded-realtime": "warning",
  "table-users-throttles": "warning",
  "table-items-throttles": "warning",
  ...forEach(RECIPE_KINDS, (recipe) => ({
    [`campaign-${dashed(recipe)}-latency`]: "warning",
    [`campaign-${dashed(recipe)}-errors`]: "warning",
    [`held-model-${dashed(recipe)}`]: "warning",
  })),
  "realtime-queue-age": "warning",
  "realtime-dead-letters": "warning",
  "realtime-throttles": "warning",
  "training-failed": "warning",
  "etl-failed": "warning",
  "teardown-failed": "warning",
  "records-unstored": "critical",
  "events-uncounted": "warning",
  "events-delivery": "critical",
  "recommendation-log-lost": "critical",
};

function forEach<T>(values: readonly T[], alarms: (value: T) => Record<string, Severity>): Record<string, Severity> {
  return Object.assign({}, ...values.map(alarms));
}

const topicArn = (description: string) =>
  v.optional(arn("sns", "[\\w-]{1,256}", "arn:aws:sns:eu-west-1:123456789012:on-call", description));

const Rule = section(
  {
    threshold: v.optional(
      numeric(0, 1e9, "The alarm starts above this value; docs/guides/monitoring.md has units and defaults."),
    ),
    severity: v.optional(word(SEVERITIES, "Decides the topic.")),
  },
  "Changes of one alarm.",
);

const Rules = v.pipe(
  v.record(text(/^[a-z0-9-]{1,64}$/, "the name of an alarm without the project's name", "Name."), Rule),
  v.metadata({
    allowed: "a mapping of alarm names to a threshold and a severity",
    description:
      "Thresholds and severities that differ from the defaults, such as `search-gateway-p99: {threshold: 1500}`.",
  }),
);

/** `alarms` of project.yaml. */
export const Alarms = section(
  {
    topics: v.optional(
      section(
        {
          critical: topicArn("Topic of critical alarms."),
          warning: topicArn("Topic of warnings, and of messages about trainings."),
        } satisfies Record<Severity, unknown>,
        "Existing SNS topics. Default: the project's own topic. An encrypted topic's key must allow CloudWatch.",
      ),
      {},
    ),
    rules: v.optional(Rules, {}),
  },
  "Where alarms go and when they start.",
);

/** `alarms` of project.yaml with its defaults. */
export type Alarms = v.InferOutput<typeof Alarms>;

/** Returns the ARN of the topic for each severity: that of the configuration, or the project's own. */
export function alarmTopics({ topics }: Alarms, names: Names): Record<Severity, string> {
  const own = names.arn("sns", names.topic());
  return { critical: topics.critical ?? own, warning: topics.warning ?? own };
}

/** Returns the severity of an alarm. */
export function severityOf(name: string, { rules }: Alarms): Severity {
  return rules[name]?.severity ?? ALARMS[name] ?? "warning";
}
