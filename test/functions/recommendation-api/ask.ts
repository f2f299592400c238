import { loadFamily } from "../../../functions/recommendation-api/families.ts";
import { routes } from "../../../functions/recommendation-api/routes.ts";
import { OPEN } from "../../../lib/platform/http/access.ts";
import { createRouter } from "../../../lib/platform/http/router.ts";
import type { RecommendationServices } from "../../../lib/recommendation/service/services.ts";
import { call } from "../../lib/platform/http/calls.ts";
import { SHOP_DEFINITIONS } from "./definitions.ts";

/** Calls a service where nothing fails and no campaign is active, except for `change`. Returns status, body and log. */
export async function ask(change: Partial<RecommendationServices>, path: string, body: unknown) {
  const lines: string[] = [];
  const api = { log: (line: string) => lines.push(line), project: "shop", access: OPEN };
  const services = {
    settings: {
      project: "shop",
      campaigns: { user_personalization: "/campaign" },
      event_tracker: "/tracker",
      built_in: [],
      learned_events: {},
      filters: [],
      event_types: { named: [], others: true, most: 8 },
      definitions: SHOP_DEFINITIONS,
      timeouts: { campaign_ms: 1_000, store_ms: 1_000, realtime_ms: 1_000 },
    },
    api,
    pointers: { read: async () => [undefined], reread: async () => [undefined] },
    popularItems: async () => undefined,
    builtIn: async () => new Map(),
    writeRecent: async () => undefined,
    records: {
      read: async () => ({ records: new Map(), unread: new Set(), failure: undefined }),
      write: async () => new Map(),
    },
    eventStream: async () => new Map(),
    countEvents: async () => undefined,
    now: Date.now,
    newId: () => "made-up",
    ...change,
  } as unknown as RecommendationServices;
  const router = createRouter({ api, routes, load: (family) => loadFamily(family, services) });
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await call(router, { path, body: text }, () => 20_000);
  return { status: answer.statusCode, body: JSON.parse(answer.body), log: lines.map((line) => JSON.parse(line)) };
}
