import type { Degradation } from "../../platform/http/degradation.ts";
import type { JsonCall, Reply } from "../../platform/http/event.ts";
import { type AnswerLogEntry, logAnswer } from "../request-log/line.ts";
import { answer, logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";
import { itemColumns, itemRecord } from "./candidates/item-record.ts";
import { failed, STAGES } from "./candidates/stages.ts";
import { engineOf } from "./explanations.ts";
import type { List } from "./make-list.ts";

type AnswerServices = Pick<RecommendationServices, "settings" | "api" | "requestLog" | "now">;

interface ListAnswer {
  list: List;
  degraded: readonly Degradation[];
  /** Columns of the items. Default: all. */
  fields?: readonly string[] | undefined;
  /** Members of the response beside the list. */
  more?: object;
  /** The line of the request log, without the list. */
  line: Omit<AnswerLogEntry, "items" | "recommendationId" | "degraded">;
}

/** Logs a list, and returns it as the answer to a call. */
export async function answerList(
  services: AnswerServices,
  call: JsonCall<object>,
  { list, degraded, fields, more, line }: ListAnswer,
): Promise<Reply> {
  if (list.failure) logFailure(services, call, "item records could not be read", list.failure.cause);
  const columns = fields ? [...new Set(["ITEM_ID", ...fields])] : itemColumns(services.settings);
  const items = list.items.map(({ id, record }) => (record ? itemRecord(columns, id, record) : { ITEM_ID: id }));
  const { recommendationId } = list;
  const logged = list.items.map(({ id, origin }) => ({ id, engine: engineOf(origin) }));
  await logAnswer(services, call, { ...line, recommendationId, degraded, items: logged });
  const response = { items, recommendation_id: recommendationId, ...more };
  return answer(services, { request: call.body, response, degraded });
}

/**
 * Adds to `degraded` if records of listed items could not be read. `otherwise` is the effect if every item of the list
 * has its record.
 */
export function unreadRecords({ items, failure }: List, otherwise: string): Degradation[] {
  if (!failure) return [];
  const unread = items.filter(({ record }) => record === undefined).length;
  const effect = unread > 0 ? `${unread} items have ITEM_ID alone` : otherwise;
  return [failed(STAGES.records, "response.items", failure.reason, effect)];
}

/** Adds to `degraded` if a list is short because the campaign recommended items without a record. */
export function unknownItems({ items, unknown }: List, limit: number): Degradation[] {
  if (items.length >= limit || unknown.size === 0) return [];
  const reason = `${unknown.size} recommended items are unknown: events name them, but they were not uploaded, or are deleted`;
  const effect = `the list has ${items.length} of ${limit} items`;
  return [failed(STAGES.records, "response.items", reason, effect)];
}
