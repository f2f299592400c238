import { readFileSync, writeFileSync } from "node:fs";
import { routes } from "../functions/api-router/routes.ts";
import { routes as recommendationRoutes } from "../functions/recommendation-api/routes.ts";
import { configurationReference } from "../lib/config/reference.ts";
import { openApiDocument } from "./openapi.ts";

/** Where the document of the search gateway is kept. */
export const OPENAPI_FILE = new URL("../docs/reference/openapi.json", import.meta.url);

/** Where the document of the recommendation service is kept. */
export const RECOMMENDATION_OPENAPI_FILE = new URL("../docs/reference/openapi-recommendation.json", import.meta.url);

/** Where the list of all configuration keys is kept. */
export const CONFIGURATION_FILE = new URL("../docs/reference/configuration.md", import.meta.url);

/** The search gateway's reference as it follows from the sources; a test compares it with what is kept. */
export function openApiJson(): string {
  const document = openApiDocument({
    title: "Relevance search gateway",
    version: version(),
    description: "Bulk indexing, search, hybrid search and the raw backend in front of an OpenSearch cluster.",
    routes,
    logged: ["search", "hybrid-search"],
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The recommendation service's reference as it follows from the sources; a test compares it with what is kept. */
export function recommendationOpenApiJson(): string {
  const document = openApiDocument({
    title: "Relevance recommendation service",
    version: version(),
    description: "Recommendations and rankings for users, and the upload of items, users and events.",
    routes: recommendationRoutes,
    errors: {
      400: "The request is not valid, `issues` names every place; or no record of an upload was accepted.",
      403: "The API key is missing or wrong.",
      404: "There is no such filter or item.",
      413: "The body is too large; nothing has been written.",
      422: null,
      502: null,
      503: "Nothing is trained yet, or what is needed cannot be reached.",
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
  writeFileSync(CONFIGURATION_FILE, configurationReference());
}
