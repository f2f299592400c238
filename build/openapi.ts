import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import type { Route } from "../lib/core/http/route.ts";

/** One API of the document. */
export interface ApiDescription {
  title: string;
  version: string;
  description: string;
  routes: readonly Route[];
  /** What a status means in this API where the search gateway means something else by it; null: it is not used. */
  errors?: Readonly<Record<number, string | null>>;
  /** Families whose requests the request log may have: they take `x-client-id` and give `x-query-id`. */
  logged?: readonly string[];
}

type Json = Record<string, unknown>;

/** What any endpoint may answer besides its own answer (decisions 3.2). */
const ERRORS: Readonly<Record<string, string>> = {
  400: "The request is not valid; `issues` names every place.",
  403: "The API key is missing or wrong, or the path is denied.",
  404: "There is no such index.",
  405: "The path does not take this method; `allow` names those that it takes.",
  413: "The body is too large; nothing has been written.",
  415: "The content type is not JSON.",
  422: "The cluster refused the request; `cause` is its own.",
  429: "Throttled; try again after `retry-after` seconds.",
  500: "The outcome of the request is unknown, its answer is too large, or the service has a fault; its log has the cause.",
  502: "An upstream failed; nothing was written.",
  503: "An upstream cannot be reached; nothing was written.",
  504: "The time ended; nothing was written.",
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

/** Methods whose body HTTP gives a meaning; OpenAPI advises against describing one of the others. */
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Headers of answers, described once and referred to. */
const HEADERS: Json = {
  RequestId: {
    description: "Finds the request in the service's logs; errors repeat it as `request_id`.",
    schema: { type: "string" },
  },
  QueryId: {
    description: "This search in the request log; send it along with what its user does with the hits.",
    schema: { type: "string", format: "uuid" },
  },
  Degraded: { description: "Stages of `degraded`.", schema: { type: "string" } },
  Allow: { description: "Methods that the path takes, with commas between.", schema: { type: "string" } },
  RetryAfter: { description: "Seconds to wait.", schema: { type: "integer" } },
};

/** Headers of errors besides `x-request-id`. */
const ERROR_HEADERS: Readonly<Record<string, Json>> = {
  405: { allow: header("Allow") },
  429: { "retry-after": header("RetryAfter") },
};

const CLIENT_ID: Json = {
  name: "x-client-id",
  in: "header",
  description: "Browser or device that searches, as the caller names it: `client_id` of the request log.",
  schema: { type: "string" },
};

/** The OpenAPI 3.1 document of an API, from the table that also makes the REST API. */
export function openApiDocument(api: ApiDescription): Json {
  const { title, version, description, routes, errors = {}, logged = [] } = api;
  const own: Readonly<Record<string, string | null>> = errors;
  const meanings = Object.entries({ ...ERRORS, ...own }).flatMap(([status, text]) =>
    text === null ? [] : [[status, text] as const],
  );
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace("{proxy+}", "{proxy}");
    const isLogged = logged.includes(route.family);
    const operations = route.methods.map((method) => [
      method.toLowerCase(),
      operation(route, method, { errors: meanings, isLogged }),
    ]);
    paths[path] = { ...paths[path], ...pathParameters(route), ...Object.fromEntries(operations) };
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
      headers: HEADERS,
    },
  };
}

interface OperationOptions {
  /** Statuses and what they mean. */
  errors: readonly (readonly [status: string, meaning: string])[];
  isLogged: boolean;
}

function operation(route: Route, method: string, { errors, isLogged }: OperationOptions): Json {
  const requestBody = bodyOf(route, method);
  return {
    operationId: operationId(route, method),
    tags: [route.family],
    summary: route.summary,
    description: route.description,
    ...(isLogged && { parameters: [CLIENT_ID] }),
    ...(requestBody && { requestBody }),
    responses: {
      "200": answer(route, isLogged),
      ...Object.fromEntries(errors.map(([status, text]) => [status, errorAnswer(status, text)])),
    },
  };
}

function bodyOf(route: Route, method: string): Json | undefined {
  if (route.request) {
    const schema = jsonSchema(route.request, "input");
    const example = route.example && { example: route.example.request };
    return { required: true, content: { "application/json": { schema, ...example } } };
  }
  if (!WITH_BODY.has(method)) return undefined;
  const description = "The native body, of any media type: JSON, NDJSON or none.";
  return { description, required: false, content: { "*/*": {} } };
}

function answer({ response, example }: Route, isLogged: boolean): Json {
  const common = { "x-request-id": header("RequestId") };
  if (!response) {
    return {
      description: "The cluster's own answer; its status may be another one.",
      headers: common,
      content: { "*/*": {} },
    };
  }
  return {
    description: "Done; `degraded` says what the answer was made without.",
    headers: { ...common, ...(isLogged && { "x-query-id": header("QueryId") }), "x-degraded": header("Degraded") },
    content: {
      "application/json": {
        schema: jsonSchema(response, "output"),
        ...(example?.response !== undefined && { example: example.response }),
      },
    },
  };
}

function errorAnswer(status: string, description: string): Json {
  return {
    description,
    headers: { "x-request-id": header("RequestId"), ...ERROR_HEADERS[status] },
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}

function header(name: string): Json {
  return { $ref: `#/components/headers/${name}` };
}

function pathParameters({ path }: Route): Json {
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
