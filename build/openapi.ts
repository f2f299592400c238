import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import type { Route } from "../lib/http/route.ts";

/** One API of the document. */
export interface ApiDescription {
  title: string;
  version: string;
  description: string;
  routes: readonly Route[];
  /** What a status means in this API where the search gateway means something else by it; null: it is not used. */
  errors?: Readonly<Record<number, string | null>>;
}

type Json = Record<string, unknown>;

/** What any endpoint may answer besides its own answer (decisions 3.2). */
const ERRORS: Readonly<Record<string, string>> = {
  400: "The request is not valid; `issues` names every place.",
  403: "The API key is missing or wrong, or the path is denied.",
  404: "There is no such index.",
  413: "The body is too large; nothing has been written.",
  415: "The content type is not JSON.",
  422: "The cluster refused the request; `cause` is its own.",
  429: "Throttled; try again after `retry-after` seconds.",
  502: "An upstream failed, or the outcome of a write is not known.",
  503: "An upstream cannot be reached.",
  504: "The time ended.",
};

const ERROR_SCHEMA: Json = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "request_id"],
      properties: {
        code: { type: "string" },
        message: { type: "string" },
        issues: {
          type: "array",
          items: {
            type: "object",
            required: ["path", "message"],
            properties: { path: { type: "string" }, message: { type: "string" } },
          },
        },
        cause: { type: "object", additionalProperties: true },
        request_id: { type: "string" },
      },
    },
  },
};

/** The OpenAPI 3.1 document of an API, from the table that also makes the REST API. */
export function openApiDocument({ title, version, description, routes, errors = {} }: ApiDescription): Json {
  const own: Readonly<Record<string, string | null>> = errors;
  const meanings = Object.entries({ ...ERRORS, ...own }).flatMap(([status, text]) =>
    text === null ? [] : [[status, text] as const],
  );
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace("{proxy+}", "{proxy}");
    const operations = route.methods.map((method) => [method.toLowerCase(), operation(route, method, meanings)]);
    paths[path] = { ...paths[path], ...parameters(route), ...Object.fromEntries(operations) };
  }
  return {
    openapi: "3.1.0",
    info: { title, version, description, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: "{base_url}", variables: { base_url: { default: "https://api.example.com" } } }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.map(({ family }) => family))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "x-api-key" } },
      schemas: { Error: ERROR_SCHEMA },
    },
  };
}

function operation(route: Route, method: string, errors: readonly (readonly [string, string])[]): Json {
  return {
    operationId: operationId(route, method),
    tags: [route.family],
    summary: route.summary,
    description: route.description,
    ...(route.request && {
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: jsonSchema(route.request, "input"),
            ...(route.example && { example: route.example.request }),
          },
        },
      },
    }),
    responses: {
      "200": answer(route),
      ...Object.fromEntries(errors.map(([status, text]) => [status, errorAnswer(text)])),
    },
  };
}

function answer({ response, example }: Route): Json {
  if (!response) return { description: "The cluster's own answer; its status may be another one." };
  return {
    description: "Done; `degraded` says what the answer was made without.",
    headers: {
      "x-request-id": { schema: { type: "string" } },
      "x-degraded": { description: "Stages of `degraded`.", schema: { type: "string" } },
    },
    content: {
      "application/json": {
        schema: jsonSchema(response, "output"),
        ...(example?.response !== undefined && { example: example.response }),
      },
    },
  };
}

const errorAnswer = (description: string): Json => ({
  description,
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});

function parameters({ path }: Route): Json {
  if (!path.includes("{proxy+}")) return {};
  const description = "Path of the cluster's API; may hold slashes.";
  return { parameters: [{ name: "proxy", in: "path", required: true, description, schema: { type: "string" } }] };
}

function operationId({ path }: Route, method: string): string {
  const words = path.replaceAll(/[{}+]/g, "").split(/[/-]/).filter(Boolean);
  return [method.toLowerCase(), ...words.map((word) => word[0]?.toUpperCase() + word.slice(1))].join("");
}

/** Checks that JSON Schema cannot say are left to the descriptions. */
function jsonSchema(schema: GenericSchema, typeMode: "input" | "output"): Json {
  const {
    $schema: _,
    $defs,
    definitions,
    ...rest
  } = toJsonSchema(schema, {
    target: "draft-2020-12",
    typeMode,
    errorMode: "ignore",
  }) as Json;
  return inline(rest, { ...($defs as Json | undefined), ...(definitions as Json | undefined) }) as Json;
}

/** References within one schema would not resolve inside the document, so each is replaced with what it names. */
function inline(value: unknown, definitions: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => inline(item, definitions));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...rest } = value as Json;
  if (typeof $ref === "string") {
    return { ...(inline(definitions[$ref.split("/").at(-1) ?? ""] ?? {}, definitions) as Json), ...rest };
  }
  return Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, inline(item, definitions)]));
}
