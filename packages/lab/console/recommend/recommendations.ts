import { computed, signal } from "@preact/signals";
import type { RecommendToUserAnswer } from "../../../clients/typescript/src/types.ts";
import type { HistoryEvent } from "../../server/server.ts";
import { callConsole, callService } from "../api.ts";
import type { ServiceCall } from "../curl.ts";
import { someDocuments } from "../search/find-documents.ts";
import { readDocuments } from "../search/results.ts";
import { announce, place, setup } from "../state.ts";
import { status } from "./status.ts";

/** An item's record; every column is a text. */
export type Item = { ITEM_ID: string } & Record<string, string>;

export interface List {
  items: Item[];
  recommendationId: string | null;
  degraded: { stage: string; reason: string; effect: string }[];
  error: string;
  milliseconds: number;
  /** The items in their order before an event was logged; null if none was. */
  before: readonly string[] | null;
}

export const forUser = signal<List | null>(null);
export const forItem = signal<List | null>(null);
export const past = signal<{ events: HistoryEvent[]; error: string }>({ events: [], error: "" });
/** The error of all parts that failed, if they failed in the same way, so that it is said once. Otherwise empty. */
export const shared = computed(() => {
  const errors = [forUser.value?.error, forItem.value?.error, past.value.error, status.value.error].filter(Boolean);
  return errors.length > 1 && new Set(errors).size === 1 ? (errors[0] ?? "") : "";
});

/** Users and items that the page offers. */
export const picks = signal<{ users: string[]; items: string[] }>({ users: [], items: [] });

const PICKED = 8;

/** Reads some users, where the server knows them, and some documents of the index, which are the items. */
export async function readPicks(index: string): Promise<void> {
  const [{ users }, items] = await Promise.all([
    callConsole<{ users: string[] }>("GET", "/api/users").catch(() => ({ users: [] })),
    // Nothing to offer is no error: an id can still be typed.
    index === "" ? [] : someDocuments(index, PICKED).catch(() => []),
  ]);
  picks.value = { users, items };
}

/** The last event that the page logged. */
export const logged = signal<ServiceCall | null>(null);

/** Returns the names of the values that a filter's expression takes, such as CATEGORY for `$CATEGORY`. */
export const parametersOf = (expression: string): string[] => [
  ...new Set(Array.from(expression.matchAll(/\$(\w+)/g), ([, name = ""]) => name)),
];

function filterFields() {
  const { filter: name, values } = place.value;
  const given = Object.entries(values).filter(([, value]) => value.trim() !== "");
  return { filter_name: name, filter_value_dict: name === "" ? {} : Object.fromEntries(given) };
}

const post = (path: string, body: unknown): ServiceCall => ({ service: "recommendation", method: "POST", path, body });

const LIMIT = 10;

export const userCall = (user: string) =>
  post("/recommend-items-to-user", { user_id: user, limit: LIMIT, ...filterFields() });
export const itemCall = (item: string) =>
  post("/recommend-items-to-item", { item_id: item, limit: LIMIT, ...filterFields() });

async function listOf(call: ServiceCall): Promise<List> {
  try {
    const { body, milliseconds } = await callService<RecommendToUserAnswer>(call);
    const { items, recommendation_id } = body.response;
    const { degraded = [] } = body;
    return { items, recommendationId: recommendation_id, degraded, error: "", milliseconds, before: null };
  } catch (error) {
    const empty = { items: [], recommendationId: null, degraded: [], milliseconds: 0, before: null };
    return { ...empty, error: (error as Error).message };
  }
}

/**
 * Asks for what the user is recommended, and reads what the user did, where that can be read. `before` is the list that an
 * event may have changed.
 */
export async function recommend(before: List | null = null): Promise<void> {
  const { user } = place.value;
  if (user === "") return;
  const [list] = await Promise.all([listOf(userCall(user)), readPast(user)]);
  const ids = before && before.error === "" ? before.items.map((item) => item.ITEM_ID) : null;
  forUser.value = { ...list, before: ids };
  const found = `${list.items.length} recommendations for ${user}`;
  const added = ids && list.items.filter((item) => !ids.includes(item.ITEM_ID)).length;
  if (list.error !== "") announce(list.error);
  else announce(added === null ? found : `${found}, ${added} of them new`);
}

async function readPast(user: string): Promise<void> {
  if (!setup.value?.can.history) return;
  try {
    const { events } = await callConsole<{ events: HistoryEvent[] }>(
      "GET",
      `/api/history?user=${encodeURIComponent(user)}`,
    );
    past.value = { events, error: "" };
    // Their titles; a list of ids is better than none.
    const ids = [...new Set(events.map(({ item }) => item))];
    await readDocuments(ids, place.value.index).catch(() => undefined);
  } catch (error) {
    past.value = { events: [], error: (error as Error).message };
  }
}

/** Asks for items like the chosen one. */
export async function findSimilar(): Promise<void> {
  const { item } = place.value;
  if (item === "") return;
  forItem.value = await listOf(itemCall(item));
}

/** Logs an event of the user, or of the visitor's session, then asks again, so that one sees the list change. */
export async function logEvent(item: string, type: string): Promise<void> {
  const { user, visitor } = place.value;
  const recommendation = forUser.value?.recommendationId;
  const event = {
    ...(visitor ? { SESSION_ID: user } : { USER_ID: user }),
    ...{ ITEM_ID: item, EVENT_TYPE: type, TIMESTAMP: Math.floor(Date.now() / 1000) },
    ...(recommendation && { RECOMMENDATION_ID: recommendation }),
  };
  try {
    const call = post("/log-event", { events: [event] });
    await callService(call);
    logged.value = call;
    announce(`Logged: ${user}, ${type}, ${item}`);
    await recommend(forUser.value);
  } catch (error) {
    past.value = { ...past.value, error: (error as Error).message };
  }
}
