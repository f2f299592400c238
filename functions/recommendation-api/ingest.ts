import { jsonHandler } from "../../lib/core/http/json-handler.ts";
import type { Family } from "../../lib/core/http/router.ts";
import { LogEvent, UpdateItems, UpdateUsers } from "../../lib/recommendation/api/requests.ts";
import { logEvents } from "../../lib/recommendation/ingest/log-event.ts";
import { updateProfiles } from "../../lib/recommendation/ingest/update-profiles.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";

const SPLIT = "Split the upload into several requests.";

/** POST /update-items, /update-users and /log-event */
export function ingestFamily(services: RecommendationServices): Family {
  const { api } = services;
  const updateItems = updateProfiles(services, "item");
  const updateUsers = updateProfiles(services, "user");
  const log = logEvents(services);
  return {
    "/update-items": jsonHandler({
      api,
      schema: UpdateItems,
      splitHint: SPLIT,
      handle: (call) => updateItems(call, call.body.items),
    }),
    "/update-users": jsonHandler({
      api,
      schema: UpdateUsers,
      splitHint: SPLIT,
      handle: (call) => updateUsers(call, call.body.users),
    }),
    "/log-event": jsonHandler({
      api,
      schema: LogEvent,
      splitHint: SPLIT,
      handle: (call) => log(call, call.body.events),
    }),
  };
}
