import { readFileSync, writeFileSync } from "node:fs";
import { routes, schemaNames } from "../functions/api-router/routes.ts";
import {
  routes as recommendationRoutes,
  schemaNames as recommendationSchemas,
} from "../functions/recommendation-api/routes.ts";
import { routes as eventRoutes, schemaNames as eventSchemas } from "../functions/search-events/routes.ts";
import { SEARCHES } from "../lib/platform/contract/search.ts";
import type { Route } from "../lib/platform/http/route.ts";
import { configurationReference } from "../lib/settings/reference.ts";
import { openApiDocument } from "./openapi.ts";
import { alarmsReference, requestLogReference } from "./operations-pages.ts";
import { permissionsReference } from "./permissions.ts";
import { degradedReference, refusalsReference } from "./search-pages.ts";

/** The file with the document of the search gateway. */
export const OPENAPI_FILE = new URL("../docs/reference/openapi.json", import.meta.url);

/** The file with the document of the recommendation service. */
export const RECOMMENDATION_OPENAPI_FILE = new URL("../docs/reference/openapi-recommendation.json", import.meta.url);

/** The pages of docs/reference that this writes, with their texts. */
export const PAGES: Readonly<Record<string, () => string>> = {
  configuration: configurationReference,
  permissions: permissionsReference,
  alarms: alarmsReference,
  "request-log": requestLogReference,
  degraded: degradedReference,
  refusals: refusalsReference,
};

/** Returns whether OpenAPI can describe a route. Agents ask /mcp itself, whose tools depend on the key. */
const isDescribed = ({ path }: Route) => path !== "/mcp";

/** Returns the search gateway's document; a test compares it with the file. */
export function openApiJson(): string {
  const document = openApiDocument({
    title: "Relevance search gateway",
    version: version(),
    description:
      "Bulk indexing, search, hybrid search and the raw backend in front of an OpenSearch cluster, and what users do with hits.",
    routes: [...routes, ...eventRoutes].filter(isDescribed),
    schemas: { ...schemaNames, ...eventSchemas },
    logged: SEARCHES.map((name) => `/application/${name}`),
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Returns the recommendation service's document; a test compares it with the file. */
export function recommendationOpenApiJson(): string {
  const document = openApiDocument({
    title: "Relevance recommendation service",
    version: version(),
    description: "Recommendations and rankings for users, and the upload of items, users and events.",
    routes: recommendationRoutes.filter(isDescribed),
    schemas: recommendationSchemas,
    errors: {
      400: "The request is not valid, with every invalid place in `issues`; or no record of an upload was accepted.",
      403: "The caller is not authorized, or may not make this call.",
      404: "The filter or the item does not exist.",
      422: null,
      502: null,
      503: "Nothing is trained yet, or an upstream cannot be reached.",
    },
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}

if (import.meta.main) {
  writeFileSync(OPENAPI_FILE, openApiJson());
  writeFileSync(RECOMMENDATION_OPENAPI_FILE, recommendationOpenApiJson());
  for (const [name, text] of Object.entries(PAGES)) {
    writeFileSync(new URL(`../docs/reference/${name}.md`, import.meta.url), text());
  }
}
