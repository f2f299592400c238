import type { GenericSchema } from "valibot";
import { type JsonHandlerOptions, jsonHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import { DeleteItems, LogEvent, UpdateItems, UpdateUsers } from "../../lib/recommendation/api/requests.ts";
import { deleteItems, logEvents, updateProfiles } from "../../lib/recommendation/ingest/uploads.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";

/** POST /update-items, /update-users, /delete-items and /log-event */
export function ingestFamily(services: RecommendationServices): Family {
  const { api } = services;
  const updateItems = updateProfiles(services, "item");
  const updateUsers = updateProfiles(services, "user");
  const remove = deleteItems(services);
  const log = logEvents(services);
  const upload = <Schema extends GenericSchema>(schema: Schema, handle: JsonHandlerOptions<Schema>["handle"]) =>
    jsonHandler({ api, schema, splitHint: "Split the upload into several requests.", handle });
  return {
    "/update-items": upload(UpdateItems, (call) => updateItems(call, call.body.items, call.body.mode)),
    "/update-users": upload(UpdateUsers, (call) => updateUsers(call, call.body.users, call.body.mode)),
    "/delete-items": upload(DeleteItems, (call) => remove(call, call.body.item_ids)),
    "/log-event": upload(LogEvent, (call) => log(call, call.body.events)),
  };
}
