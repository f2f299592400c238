import { gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import { loadFamily as loadSearchFamily } from "../../functions/api-router/families.ts";
import { routes as searchRoutes } from "../../functions/api-router/routes.ts";
import { loadFamily as loadRecommendationFamily } from "../../functions/recommendation-api/families.ts";
import { routes as recommendationRoutes } from "../../functions/recommendation-api/routes.ts";
import { eventsFamily } from "../../functions/search-events/family.ts";
import { routes as eventRoutes } from "../../functions/search-events/routes.ts";
import { createRouter } from "../../lib/platform/http/router.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";
import type { EventsServices } from "../../lib/search/events/events.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";
import { SETTINGS } from "../fixtures/gateway.ts";
import { api, call } from "../lib/platform/http/calls.ts";
import { suite } from "../suite.ts";
import { SHOP_DEFINITIONS } from "./recommendation-api/definitions.ts";

/** What every endpoint of both services does with an unreadable body. No service is called. */
const test = suite("request bodies of every endpoint");

const search = { api, settings: SETTINGS } as unknown as GatewayServices;
const recommendation = { api, settings: { definitions: SHOP_DEFINITIONS } } as unknown as RecommendationServices;
const events = { api } as unknown as EventsServices;
const services = [
  [searchRoutes, createRouter({ api, routes: searchRoutes, load: (family) => loadSearchFamily(family, search) })],
  [eventRoutes, createRouter({ api, routes: eventRoutes, load: async () => eventsFamily(events) })],
  [
    recommendationRoutes,
    createRouter({
      api,
      routes: recommendationRoutes,
      load: (family) => loadRecommendationFamily(family, recommendation),
    }),
  ],
] as const;

const JSON_TYPE = { "content-type": "application/json" };

const REFUSED = [
  ["an unknown content encoding", 415, Buffer.from("{}"), { ...JSON_TYPE, "content-encoding": "zstd" }],
  ["a damaged gzip body", 400, gzipSync("{}").subarray(0, 12), { ...JSON_TYPE, "content-encoding": "gzip" }],
  ["a gzip bomb", 413, gzipSync(Buffer.alloc(5_000_000)), { ...JSON_TYPE, "content-encoding": "gzip" }],
  ["invalid UTF-8", 400, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), JSON_TYPE],
  ["a lone surrogate", 400, Buffer.from('{"id":"\\ud800"}'), JSON_TYPE],
] as const;

for (const [routes, router] of services) {
  for (const { path, methods } of routes) {
    const httpMethod = (methods as readonly string[]).includes("POST") ? "POST" : methods[0];
    for (const [what, status, bytes, headers] of REFUSED) {
      test(`${httpMethod} ${path} refuses ${what} with ${status}`, async () => {
        const sent = { body: bytes.toString("base64"), isBase64Encoded: true };
        const result = await call(router, {
          ...{ httpMethod, path: path.replace("{proxy+}", "index/_doc/1"), headers, ...sent },
        });
        assert.is(result.statusCode, status, result.body);
      });
    }
  }
}

test.run();
