import { randomUUID } from "node:crypto";
import type { SearchKind } from "../../platform/contract/search.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import type { Call, Reply } from "../../platform/http/event.ts";
import { keyInTime } from "../../platform/request-log/user-ids.ts";
import { degradedMetric } from "../../platform/telemetry/emf.ts";
import type { SearchLog } from "../gateway/tools.ts";
import { objectIdsOf, type SearchAnswer } from "../page/answer.ts";
import type { StageReport } from "../page/stage.ts";
import { requestLogLine } from "../request-log/line.ts";
import type { AppliedRule } from "../rules/effects.ts";
import type { OtherText } from "../suggest/correct.ts";
import { type CommonFields, commonFields } from "./request.ts";

/** Spelling suggestion for an empty result. */
interface DidYouMean extends OtherText {
  /** Whether the hits are those of the suggested text. */
  is_searched: boolean;
}

/** One search: its request and its result. */
export interface Searched {
  endpoint: SearchKind;
  index: string;
  /** Members of the echo before `user_id`, as JSON text by name, in order. */
  echo: Readonly<Record<string, string>>;
  fields: CommonFields;
  userQuery: string | null;
  query: unknown;
  /** The named template that was filled. */
  template?: string | undefined;
  settings: unknown;
  /** The variant of an experiment that the search is part of. */
  experiment?: { name: string; variant: string; teams?: ReadonlyArray<string | null> };
  answer: SearchAnswer;
  /** Reports of the page's stages. */
  stages: readonly StageReport[];
  areStagesTold: boolean;
  /** Whether filters of the whole search apply. */
  isFiltered: boolean;
  /** The rules that applied. */
  rules: readonly AppliedRule[];
  /** Spelling suggestion, if the search has no hits. */
  didYouMean?: DidYouMean;
  degraded: readonly Degradation[];
  milliseconds: Readonly<Record<string, number>>;
}

/** Request members that the answer repeats if present. */
const ECHOED = (Object.keys(commonFields) as Array<keyof CommonFields>).filter((name) => name !== "user_id");

/** Returns the answer of both search endpoints (request, cluster's answer, degradations) and writes its log line. */
export async function searchReply(log: SearchLog, call: Call, searched: Searched): Promise<Reply> {
  const { answer, degraded, fields } = searched;
  const queryId = randomUUID();
  const members: Array<[string, string]> = [
    ...Object.entries(searched.echo),
    ["user_id", JSON.stringify(fields.user_id)],
    ...ECHOED.flatMap((name) => (fields[name] == null ? [] : [given(name, fields[name])])),
    ["search_response", answer.text],
  ];
  if (searched.experiment) members.push(["experiment", JSON.stringify(searched.experiment)]);
  if (searched.didYouMean) members.push(given("did_you_mean", searched.didYouMean));
  if (searched.rules.length > 0) members.push(given("rules", searched.rules));
  if (fields.explain_stages || searched.areStagesTold) {
    // Scores tell values of fields, which a page must not show because a stage changed something.
    const told = searched.stages.map(({ scores, ...stage }) =>
      fields.explain_stages && scores ? { ...stage, scores } : stage,
    );
    members.push(given("stages", told));
  }
  if (degraded.length > 0) members.push(["degraded", JSON.stringify(degraded)]);
  if (fields.is_logging_enable) {
    const hmacKey = await keyInTime(log, call);
    log.logRequest(logLine(log, call, searched, queryId, hmacKey));
  }
  for (const line of degradedMetric(log.settings.project, degraded)) log.api.log(line);
  return {
    status: 200,
    headers: {
      "x-query-id": queryId,
      "server-timing": serverTiming(searched.milliseconds),
      ...degradedHeader(degraded),
    },
    body: `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`,
  };
}

const given = (name: string, value: unknown): [string, string] => [name, JSON.stringify(value)];

/** Returns the header in which a caller sees where the time went, such as `total;dur=12, cluster;dur=8`. */
const serverTiming = (milliseconds: Searched["milliseconds"]): string =>
  Object.entries(milliseconds)
    .map(([stage, duration]) => `${stage};dur=${duration}`)
    .join(", ");

/** Returns the header of a degraded answer, such as `x-degraded: embedding, depth`. */
function degradedHeader(degraded: readonly Degradation[]): Record<string, string> {
  if (degraded.length === 0) return {};
  return { "x-degraded": [...new Set(degraded.map(({ stage }) => stage))].join(", ") };
}

function logLine(
  { settings }: SearchLog,
  call: Call,
  searched: Searched,
  queryId: string,
  hmacKey: string | undefined,
): string {
  const { answer, fields } = searched;
  const objects = objectIdsOf(answer.hits, settings.personalized_ranking?.item_id_field ?? "_id");
  return requestLogLine(
    {
      endpoint: searched.endpoint,
      index: searched.index,
      key: call.caller.name,
      subject: call.caller.token?.subject,
      queryId,
      clientId: call.headers["x-client-id"] ?? null,
      userId: fields.user_id,
      userQuery: searched.userQuery,
      query: searched.query,
      template: searched.template,
      settings: searched.settings,
      experiment: searched.experiment ?? null,
      personalized: searched.stages.some(({ name, failed }) => name === "personalization" && !failed),
      stages: searched.stages.map(({ moves: _, scores: _scores, synonyms: _words, ...effect }) => effect),
      rules: searched.rules.map(({ name }) => name),
      segments: fields.segments,
      degraded: searched.degraded,
      milliseconds: searched.milliseconds,
      timestamp: new Date(),
      objectIdField: objects.field,
      responseId: call.requestId,
      hitIds: objects.ids,
      // The user's own text had no hits, even if the suggested one has.
      total: searched.didYouMean ? 0 : (answer.total?.value ?? null),
    },
    {
      application: settings.project,
      userId: settings.logging.user_id,
      queryText: settings.logging.query_text,
      hmacKey,
    },
  );
}

/** Adds up milliseconds by stage for the request log. Stages that run at the same time each count in full. */
export interface Stopwatch {
  time<T>(stage: string, work: () => Promise<T>): Promise<T>;
  /** Returns whole milliseconds by stage, with `total` since the start. */
  read(): Record<string, number>;
}

export function stopwatch(now: () => number = () => performance.now()): Stopwatch {
  const started = now();
  const stages: Record<string, number> = {};
  return {
    async time(stage, work) {
      const from = now();
      try {
        return await work();
      } finally {
        stages[stage] = (stages[stage] ?? 0) + now() - from;
      }
    },
    read: () => {
      const all = { total: now() - started, ...stages };
      return Object.fromEntries(Object.entries(all).map(([stage, ms]) => [stage, Math.round(ms)]));
    },
  };
}
