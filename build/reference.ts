import { readFileSync, writeFileSync } from "node:fs";
import { routes } from "../functions/api-router/routes.ts";
import { openApiDocument } from "./openapi.ts";

/** Where the document of the search gateway is kept. */
export const OPENAPI_FILE = new URL("../docs/reference/openapi.json", import.meta.url);

/** The reference as it follows from the sources; a test compares it with what is kept. */
export function openApiJson(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  const document = openApiDocument({
    title: "Relevance search gateway",
    version,
    description: "Bulk indexing, search, hybrid search and the raw backend in front of an OpenSearch cluster.",
    routes,
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}

if (import.meta.main) writeFileSync(OPENAPI_FILE, openApiJson());
