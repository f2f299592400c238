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

/** An alarm: what the notification and docs/reference/alarms.md say about it. */
interface Alarm {
  severity: Severity;
  /** The threshold that triggers it when exceeded, unless `alarms.rules` has another one. */
  above: number;
  /** What happened. `<above>` stands for the threshold. */
  starts: string;
  /** What to do. */
  remedy: string;
}

const warning = (starts: string, remedy: string, above = 0): Alarm => ({ severity: "warning", above, starts, remedy });
const critical = (...facts: Parameters<typeof warning>): Alarm => ({ ...warning(...facts), severity: "critical" });

const DELIVERY =
  "see the log of the delivery stream, and check its role, the bucket's policy, the key and throttling. It keeps lines for a day, then drops them";
/** Degraded answers, or failed calls of a campaign, in five minutes. */
const DEGRADED_ANSWERS = 10;
const degraded = (lost: string, remedy: string) =>
  warning(`More than <above> answers were degraded: ${lost}`, remedy, DEGRADED_ANSWERS);
const unread = "check the bucket, its key, the way to S3, and the query; `degraded` in the request log has the reason";
const failed = (machine: string, remedy: string) => warning(`An execution of ${machine} failed or timed out`, remedy);
const lost = (handler: string) =>
  critical(
    `Lines of a request log were lost: Lambda could not put failed events of ${handler} into its queue`,
    "check the queue and the role's permission to send. The lines stay in the log of the API's function for three days",
  );
const tableThrottles = (table: string) =>
  warning(
    `The table of ${table} rejects reads or writes, because its traffic grew faster than DynamoDB scales`,
    "it scales within half an hour: upload more slowly. Rejected records were answered with `retryable: true`",
  );
const instances = "request a higher quota of concurrent executions of Lambda";

const STAGES: Readonly<Record<AlarmedStage, Alarm>> = {
  embedding: degraded("a subquery was left out", "the alarms of models show which one fails"),
  synonyms: degraded("synonyms did not apply", unread),
  rules: degraded("rules did not apply", unread),
  rerank: degraded("hits were not reranked", "check the model's quota and `rerank.timeout_ms`"),
  personalization: degraded("not ranked for the user", "check the campaign and `personalized_ranking.timeout_ms`"),
};

/** Every alarm that a configuration with these models and recipes can have, by its name without the project's. */
export const alarmsOf = (models: readonly string[], recipes: readonly string[]): Readonly<Record<string, Alarm>> => ({
  "search-gateway-5xx": critical(
    "More than <above> % of the answers are errors of the gateway",
    "see `code` in the log of api-router: `upstream_unavailable` and `timeout` are the cluster or the way to it, `upstream_failed` its own error, `internal` a bug",
    1,
  ),
  "search-gateway-p99": warning(
    "One answer in a hundred takes longer than <above> ms",
    "the dashboard and the slowest searches of the request log show what is slow: scale the cluster or the model, or use `provisioned_concurrency`",
    3_000,
  ),
  "search-gateway-throttles": critical(
    "Requests are rejected because no instance of api-router is free",
    `raise \`reserved_concurrency.api_router\`, or ${instances}`,
  ),
  ...forEach(ALARMED_STAGES, (stage) => ({ [`search-gateway-degraded-${stage}`]: STAGES[stage] })),
  ...forEach(models, (model) => ({
    [`model-${dashed(model)}-latency`]: warning(
      `One call in a hundred to ${model} takes longer than <above> s`,
      "raise `initial_instance_count` or `max_instance_count` of `model.yaml`, or request a higher quota of Bedrock",
      2,
    ),
    [`model-${dashed(model)}-errors`]: warning(
      `More than <above> calls to ${model} failed`,
      "see the log of its endpoint (out of memory: use a larger `instance_type`), or its quota. `relevance backfill` adds missing embeddings",
      5,
    ),
  })),
  "request-log-errors": warning(
    "Lines of the request log are late",
    "usually Firehose is throttled: raise its quota. Lines wait in a queue for 14 days at most; see the log of log-handler",
  ),
  "request-log-lost": lost("log-handler"),
  "request-log-unreadable": warning(
    "Lines of the request log were unreadable and dropped",
    "searches were answered. See the logs of log-handler and recommendation-log-handler; a truncated line is a bug: report it",
  ),
  "request-log-delivery": warning("The request log does not reach the bucket for more than <above> s", DELIVERY, 900),
  "search-events-unstored": warning(
    "Events were not accepted, and callers were told to send them again",
    `see the log of search-events; if it names Firehose, ${DELIVERY}`,
  ),
  "search-events-delivery": warning(
    "Events of searches do not reach the bucket for more than <above> s",
    DELIVERY,
    900,
  ),
  "cluster-scaler-errors": warning(
    "The cluster is not scaled",
    "see the log of cluster-scaler; scale by hand with `aws opensearch update-domain-config`",
  ),
  "suggestions-errors": warning(
    "Suggestions are not rebuilt, and the old ones stay",
    "see the log of suggestions; `relevance suggest build` runs it again",
  ),
  "built-in-engine-untrained": warning(
    "A training could not train the built-in engine, so what it learned before is in use",
    "the next training tries again; `relevance status` and the log of etl have the reason",
  ),
  "recommendation-5xx": critical(
    "More than <above> % of the answers are errors of the service",
    "see the log of recommendation-api. `not_trained`: train. `upstream_unavailable`, `timeout`: the message names campaign, table or stream",
    1,
  ),
  "recommendation-p99": warning(
    "One answer in a hundred takes longer than <above> ms",
    "the dashboard shows whether campaigns or tables are slow; if it is a campaign, raise `min_provisioned_tps`",
    2_000,
  ),
  "recommendation-throttles": critical(
    "Requests are rejected because no instance of recommendation-api is free",
    instances,
  ),
  "recommendation-degraded-campaign": degraded(
    "popular items replaced those of a campaign",
    "`relevance status`: is the campaign ACTIVE? If it is throttled, raise `min_provisioned_tps`",
  ),
  "recommendation-degraded-diversity": degraded(
    "items are not as different as their placement says",
    "check the table of items",
  ),
  "recommendation-degraded-fallback": degraded(
    "a list of the fallback chain, or what the built-in engine learned, could not be read",
    "check the tables; or a filter on past events does not apply to the chain",
  ),
  "recommendation-degraded-item-records": degraded(
    "items came as ids only",
    "the table of items is throttled or unreadable, or ranked items were never uploaded or are inactive",
  ),
  "recommendation-degraded-placement": degraded(
    "changed placements could not be read, so the ones before are in use",
    "the log of recommendation-api has the reason: the bucket, its key, or a document of a later version",
  ),
  "recommendation-degraded-promotions": degraded(
    "promoted items came without a campaign, or not at all",
    "`relevance status`: is the campaign ACTIVE, and the promotion's filter deployed?",
  ),
  "recommendation-degraded-realtime": degraded(
    "changes and events did not reach Personalize at once",
    "nothing is lost: the next training has them. Check the PutEvents quotas and the queue",
  ),
  "table-users-throttles": tableThrottles("users"),
  "table-items-throttles": tableThrottles("items"),
  ...forEach(recipes, (recipe) => ({
    [`campaign-${dashed(recipe)}-latency`]: warning(
      `The campaign of ${recipe} takes longer than <above> ms`,
      "raise `min_provisioned_tps` in `campaign.yaml` and deploy",
      1_000,
    ),
    [`campaign-${dashed(recipe)}-errors`]: warning(
      `The campaign of ${recipe} rejects more than <above> calls`,
      "`relevance status`: throttled (raise `min_provisioned_tps`) or not active?",
      DEGRADED_ANSWERS,
    ),
    [`held-model-${dashed(recipe)}`]: warning(
      `A new model of ${recipe} is worse than the active one, which stays`,
      "the training's message has the numbers, and `relevance status` lists it",
    ),
  })),
  "realtime-queue-age": warning(
    "A changed user or item waits for Personalize for more than <above> s",
    "see the log of realtime-sync. An import blocks its dataset for minutes",
    3_600,
  ),
  "realtime-dead-letters": warning(
    "Changes of users or items did not reach Personalize",
    "find the cause in the log of realtime-sync, then within 14 days redrive the queue with `aws sqs start-message-move-task`. The next training includes the changes in any case",
  ),
  "realtime-throttles": warning("No instance of realtime-sync is free", `changes wait in the queue: ${instances}`),
  "training-failed": failed("training", "the topic's message has the reason; run the same command again to resume"),
  "etl-failed": failed("etl", "the training failed, too: `relevance status` has the reason; start it again"),
  "teardown-failed": failed("teardown", "run `relevance uninstall` again"),
  "records-unstored": critical(
    "A table or the delivery stream did not take uploaded records, and callers were told to send them again",
    "the log of recommendation-api has the cause",
  ),
  "events-uncounted": warning(
    "Accepted events could not be counted, so training cannot check that all arrived",
    "they are stored. See the log of recommendation-api, and check the table of counts",
  ),
  "events-delivery": critical(
    "Accepted events do not reach the bucket for more than <above> s (three times `event_buffer_seconds`)",
    DELIVERY,
    180,
  ),
  "recommendation-log-lost": lost("recommendation-log-handler"),
});

/** Every alarm that a configuration can have. */
export const ALARMS = alarmsOf(Object.keys(MODELS), RECIPE_KINDS);

function forEach<N extends string>(names: readonly N[], alarms: (name: N) => Record<string, Alarm>) {
  return Object.assign({}, ...names.map(alarms)) as Record<string, Alarm>;
}

const topicArn = (description: string) =>
  v.optional(arn("sns", "[\\w-]{1,256}", "arn:aws:sns:eu-west-1:123456789012:on-call", description));

const Rule = section(
  {
    threshold: v.optional(
      numeric(0, 1e9, "The alarm starts above this value; docs/reference/alarms.md has units and defaults."),
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

/** Returns an alarm with the severity and threshold that `alarms.rules` gives it. Throws if there is none of this name. */
export function alarmOf(name: string, { rules }: Alarms, above?: number): Alarm & { description: string } {
  const alarm = ALARMS[name];
  if (!alarm) throw new Error(`lib/settings/alarms.ts has no alarm ${name}`);
  const { threshold = above ?? alarm.above, severity = alarm.severity } = rules[name] ?? {};
  const starts = alarm.starts.replace("<above>", String(threshold));
  return { ...alarm, severity, above: threshold, description: `${starts}: ${alarm.remedy}` };
}
