import type { Engine } from "../../platform/contract/recommendation.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import type { JsonCall } from "../../platform/http/event.ts";
import { cut, MAX_LOGGED_IDS, MAX_REASON_CHARACTERS, requestLogType } from "../../platform/request-log/kinds.ts";
import { keyInTime, loggedUserId } from "../../platform/request-log/user-ids.ts";
import type { RecommendationServices } from "../service/services.ts";

/** The endpoints whose answers are logged, by their paths without the slash. */
export type LoggedEndpoint =
  | "recommend-items-to-user"
  | "recommend-items-to-item"
  | "recommend-for-placement"
  | "rank-items-to-user";

/** Log entry of one answer: the visitor, and the list. */
export interface AnswerLogEntry {
  endpoint: LoggedEndpoint;
  /** The placement, and the variant of its experiment; null for other endpoints. */
  placement: { name: string; version: number; experiment?: string; variant?: string } | null;
  userId: string | null | undefined;
  sessionId?: string | null | undefined;
  /** Whether the list may use a profile. If not, the line contains no user. */
  isPersonal: boolean;
  recommendationId: string | null;
  /** Best first. Only the first 100 are logged. */
  items: readonly { id: string; engine: Engine }[];
  /**
   * The last list of the fallback chain that contributed items: its position from 1, and the number of items from the
   * chain.
   */
  fallback: { step: number; list: string; items: number } | null;
  degraded: readonly Degradation[];
  /** Time at which the request arrived, in epoch milliseconds. */
  since: number;
}

type LogServices = Pick<RecommendationServices, "settings" | "requestLog" | "now">;

/** Writes the line of an answer, in which users are named as `logging.user_id` says. Never throws. */
export async function logAnswer(
  services: LogServices,
  call: Pick<JsonCall<unknown>, "caller" | "requestId" | "deadline">,
  entry: AnswerLogEntry,
): Promise<void> {
  const { requestLog, settings } = services;
  if (!requestLog) return;
  const hmacKey = await keyInTime({ settings, userIdKey: requestLog.userIdKey }, call);
  requestLog.print(JSON.stringify(answerFields(services, call, entry, hmacKey)));
}

/** The members of a line. */
export type RecommendationLogField = keyof ReturnType<typeof answerFields>;

/**
 * Returns the members of a line. As JSON it stays below the 256 KB at which CloudWatch Logs splits lines: 100 ids of 256
 * characters are at most 100 KB.
 */
function answerFields(
  { settings, now }: LogServices,
  { caller, requestId }: Pick<JsonCall<unknown>, "caller" | "requestId">,
  entry: AnswerLogEntry,
  hmacKey: string | undefined,
) {
  const named = (id: string | null | undefined) =>
    loggedUserId((entry.isPersonal && id) || null, { userId: settings.logging.user_id, hmacKey }, "recommendation");
  const items = entry.items.slice(0, MAX_LOGGED_IDS);
  const at = now();
  return {
    type: requestLogType("recommendation"),
    application: settings.project,
    request_id: requestId,
    recommendation_id: entry.recommendationId,
    user_id: named(entry.userId ?? entry.sessionId),
    session_id: named(entry.sessionId),
    key: caller.name,
    subject: named(caller.token?.subject) ?? undefined,
    endpoint: entry.endpoint,
    placement: entry.placement?.name ?? null,
    placement_version: entry.placement?.version ?? null,
    experiment: entry.placement?.experiment ?? null,
    variant: entry.placement?.variant ?? null,
    item_ids: items.map(({ id }) => id),
    item_engines: items.map(({ engine }) => engine),
    fallback: entry.fallback,
    degraded: entry.degraded.map((one) => ({ ...one, reason: cut(one.reason, MAX_REASON_CHARACTERS) })),
    milliseconds: Math.round(at - entry.since),
    timestamp: new Date(at).toISOString(),
  };
}
