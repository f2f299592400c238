import { firehoseLines } from "../../lib/platform/aws/record-stream.ts";
import { secretReader } from "../../lib/platform/aws/secret-reader.ts";
import { readConfig, readEnvironment } from "../../lib/platform/environment.ts";
import { createAccess } from "../../lib/platform/http/access.ts";
import { tokenChecks } from "../../lib/platform/http/open-tokens.ts";
import { createRouter } from "../../lib/platform/http/router.ts";
import { userIdKey } from "../../lib/platform/request-log/user-ids.ts";
import type { EventsSettings } from "../../lib/search/gateway/settings.ts";
import { SearchEventsEnv } from "./env.ts";
import { eventsFamily } from "./family.ts";
import { served } from "./served.ts";

/** Milliseconds for one call of Firehose, as in the recommendation service. */
const STORE_MS = 3_000;

const env = readEnvironment(SearchEventsEnv, process.env);
const settings = readConfig<EventsSettings>(new URL("config.json", import.meta.url));
const print = (line: string) => process.stdout.write(`${line}\n`);
const readSecret = secretReader(() => process.env);
const { project, cors } = settings;
const services = {
  settings,
  api: { log: print, cors, project, access: createAccess(settings, env.API_KEYS, tokenChecks(readSecret)) },
  stream: firehoseLines(env.EVENTS_STREAM, "the event store", STORE_MS),
  userIdKey: userIdKey(settings.logging, readSecret, print),
  now: () => new Date(),
};

export const handler = createRouter({
  api: services.api,
  routes: Object.values(served),
  load: async () => eventsFamily(services),
});
