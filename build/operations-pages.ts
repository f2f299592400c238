import type { EventLogColumn, SearchLogAttribute, SearchLogColumn } from "../lib/platform/contract/log-columns.ts";
import { PAGE_STAGES, REWRITE_STAGES } from "../lib/platform/contract/search.ts";
import { MAX_LOGGED_IDS } from "../lib/platform/request-log/kinds.ts";
import type { RecommendationLogField } from "../lib/recommendation/request-log/line.ts";
import { MAX_LINE_BYTES } from "../lib/search/request-log/line.ts";
import { VETOES } from "../lib/search/scaler/decide.ts";
import { alarmsOf } from "../lib/settings/alarms.ts";
import { meanings, page, tableSection } from "./reference-page.ts";

/** Returns docs/reference/alarms.md: when each alarm starts and what to do, and why the cluster is not scaled. */
export function alarmsReference(): string {
  const rows = Object.entries(alarmsOf(["<model>"], ["<recipe>"])).map(([name, alarm]) => [
    `\`${name}\``,
    alarm.severity,
    alarm.starts.replace("<above>", String(alarm.above)).replace(/<\w+>/, "`$&`"),
    alarm.remedy,
  ]);
  return page(
    "Alarms",
    "Names start with `<project>-`. There is an alarm for each model that a mapping names, and for each recipe. A data point is five minutes; missing data triggers no alarm. Thresholds are percent (`5xx`), milliseconds (`p99`, campaign latency), seconds (model latency, `realtime-queue-age`, `…-delivery`), else a number of events: [how to change them](../guides/monitoring.md#topics-thresholds-and-severities).",
    [
      tableSection("All alarms", ["alarm", "severity", "starts when", "what to do"], rows),
      tableSection("Why the cluster is not scaled", ["`veto`", "nothing changes, because"], meanings(VETOES)),
    ],
  );
}

const STAGES = [...REWRITE_STAGES, ...PAGE_STAGES].map((name) => `\`${name}\``).join(", ");

const SEARCH_FIELDS: Readonly<
  Record<Exclude<SearchLogColumn, "query_attributes"> | `query_attributes.${SearchLogAttribute}`, string>
> = {
  type: "`relevance.search`",
  application: "the project's name",
  query_id: "a UUID, in the answer the header `x-query-id`",
  client_id: "header `x-client-id`, else null",
  user_id: "`user_id` of the request, written as `logging.user_id` says, else null",
  user_query: "`search_query` or `user_query`, or the template's parameter with `role: query`, else null",
  query: "the native body as JSON text, with its tokens not yet replaced",
  "query_attributes.index": "index as the request named it",
  "query_attributes.endpoint": "`search` or `hybrid-search`",
  "query_attributes.key": "name of the caller's API key; `default` if `api.yaml` lists none",
  "query_attributes.subject": "`sub` of the caller's token, written as `user_id` is; absent without one",
  "query_attributes.template":
    "name of the template: that of the experiment's variant, else of the request; absent without one",
  "query_attributes.settings": "weights, normalization and combination of a hybrid search, with defaults, else null",
  "query_attributes.experiment":
    "`name` and `variant` of the experiment, else null; with interleaved hits also `teams`, the variant of each hit id",
  "query_attributes.personalized": "whether the order was changed for the user",
  "query_attributes.degraded": "as in the answer; empty when nothing was missing",
  "query_attributes.milliseconds": "`total`, and by stage: `cluster`, `embedding`, `catalog`",
  "query_attributes.stages": `what each [stage of the page](../guides/search.md#from-hits-to-a-page) did: \`name\` (${STAGES}), \`milliseconds\`, \`moved\`, \`added\`, \`hidden\`, \`failed\`, for synonyms \`alternatives\`, of a reranker \`usage\`; absent if there was none`,
  "query_attributes.rules": "names of the rules that applied, in order; absent if there was none",
  "query_attributes.segments": "`segments` of the request; absent if it names none",
  "query_attributes.log_error": "why the full line could not be created; such a line has little else",
  timestamp: "ISO 8601, UTC, when the search was answered",
  object_id_field: "field of the hit ids: `personalized_ranking.item_id_field`, or `_id` if a hit lacks it",
  query_response_id: "the answer's `x-request-id`",
  query_response_hit_ids: `ids of the page's hits, the first ${MAX_LOGGED_IDS}`,
  total: "number of matching hits as the cluster counted them (by default up to 10,000), else null",
  truncated: "`true` when something was truncated, else absent",
};

const EVENT_FIELDS: Readonly<Partial<Record<EventLogColumn, string>>> = {
  type: "`relevance.event`",
  application: "of the event, else the project's name",
  client_id: "of the event, else the header `x-client-id`",
  user_id: "as `logging.user_id` says",
  timestamp: "the caller's clock",
  message: "of the event; null with `logging.query_text: false`",
  key: "name of the caller's API key",
  received_at: "when the event arrived",
};

const RECOMMENDATION_FIELDS: Readonly<Record<RecommendationLogField, string>> = {
  type: "`relevance.recommendation`",
  application: "the project's name",
  request_id: "the answer's `x-request-id`; count each once",
  recommendation_id: "as in the answer: null if no campaign made the list",
  user_id:
    "`user_id` of the request, else its `session_id`, written as `logging.user_id` says. Null with `personalization: none`",
  session_id: "`session_id` of a placement's request, in the same way",
  key: "name of the caller's API key",
  subject: "`sub` of the caller's token, in the same way; absent without one",
  endpoint: "such as `recommend-for-placement`",
  placement: "of a placement, else null",
  placement_version: "its version, else null",
  experiment: "of the placement's experiment, else null",
  variant: "of the placement's experiment, else null",
  item_ids: `the items of the list, the first ${MAX_LOGGED_IDS}`,
  item_engines: "what each comes from: `personalize`, `built_in` or `list`",
  fallback:
    "the last fallback list that items come from: its `step` from 1, its name as `list`, and how many `items` are of the chain; else null",
  degraded: "as in the answer",
  milliseconds: "from the request to the answer in the function",
  timestamp: "ISO 8601, UTC",
};

/** Returns docs/reference/request-log.md: the fields of all lines. */
export function requestLogReference(): string {
  const head = ["field", "content"];
  return page(
    "Fields of the request log",
    `[What the log is for](../guides/request-log.md). A line has at most ${MAX_LINE_BYTES / 1_000} KB: \`query\` is cut (no longer valid JSON), then hit ids are dropped. A \`user_query\` has at most 10,000 characters, an id 512, a reason 500.`,
    [
      tableSection("Searches", head, meanings(SEARCH_FIELDS)),
      tableSection("Events of searches", head, [
        ["all other fields", "as sent, with members of your own; `object_id` as text"],
        ...meanings(EVENT_FIELDS),
      ]),
      tableSection("Recommendations", head, meanings(RECOMMENDATION_FIELDS)),
    ],
  );
}
