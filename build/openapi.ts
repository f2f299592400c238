import type { GenericSchema } from "valibot";
import type { Route } from "../lib/platform/http/route.ts";
import { type ErrorMeanings, errorResponses, HEADERS, header } from "./openapi-errors.ts";
import { type Json, type SchemaNames, schemaComponents, schemaReference } from "./openapi-schemas.ts";

/** One API of the document. */
export interface ApiDescription {
  title: string;
  version: string;
  description: string;
  routes: readonly Route[];
  schemas: SchemaNames;
  /** Meanings of statuses that differ from the search gateway; null for an unused status. */
  errors?: ErrorMeanings;
  /** Paths whose requests the request log may contain: they take `x-client-id` and return `x-query-id`. */
  logged?: readonly string[];
}

/** Methods whose body has a meaning in HTTP. OpenAPI advises against describing a body of another method. */
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** The values of `authorization` in api.yaml. */
const SECURITY_SCHEMES: Json = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "With `authorization: api_key`, the default.",
  },
  token: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "Beside the API key, where the key has `tokens` in api.yaml: what narrows it.",
  },
  sigV4: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "With `authorization: iam`: AWS Signature Version 4 for the service execute-api.",
    "x-amazon-apigateway-authtype": "awsSigv4",
  },
  authorizer: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description:
      "With `authorization: lambda`: what the deployment's authorizer expects, in this header or in those of `lambda_authorizer.identity_headers`.",
    "x-amazon-apigateway-authtype": "custom",
  },
};

const CLIENT_ID: Json = {
  name: "x-client-id",
  in: "header",
  description: "The browser or device that searches: `client_id` of the request log.",
  schema: { type: "string" },
};

/** Returns the OpenAPI 3.1 document of an API, from the route table that also defines the REST API. */
export function openApiDocument(api: ApiDescription): Json {
  const { title, version, description, routes, schemas } = api;
  const { references, components } = errorResponses(routes, schemas, api.errors);
  const referencesOf = (parts: (route: Route) => (GenericSchema | undefined)[]) =>
    routes.flatMap((route) => parts(route).flatMap((schema) => (schema ? schemaReference(schema, schemas) : [])));
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace("{proxy+}", "{proxy}");
    const operations = route.methods.map((method) => [
      method.toLowerCase(),
      operation(api, route, method, references(route, method)),
    ]);
    paths[path] = { ...paths[path], ...pathParameters(route), ...Object.fromEntries(operations) };
  }
  return {
    openapi: "3.1.0",
    info: { title, version, description, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: "{base_url}", variables: { base_url: { default: "https://api.example.com" } } }],
    // Each is an alternative: a deployment has one of them, and a key may have tokens.
    security: [["apiKey"], ["apiKey", "token"], ["sigV4"], ["authorizer"]].map((names) =>
      Object.fromEntries(names.map((name) => [name, []])),
    ),
    tags: [...new Set(routes.map(({ family }) => family))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: schemaComponents(schemas, {
        requests: referencesOf(({ request }) => [request]),
        answers: [components, referencesOf(({ response, refusal }) => [response, refusal])],
      }),
      responses: components,
      headers: HEADERS,
    },
  };
}

function operation(api: ApiDescription, route: Route, method: string, errors: Json): Json {
  const isLogged = api.logged?.includes(route.path) === true;
  const requestBody = bodyOf(api, route, method);
  return {
    operationId: operationId(route, method),
    tags: [route.family],
    summary: route.summary,
    description: route.description,
    ...(isLogged && { parameters: [CLIENT_ID] }),
    ...(requestBody && { requestBody }),
    responses: { ...answers(api, route, method, isLogged), ...errors },
  };
}

function bodyOf({ schemas }: ApiDescription, route: Route, method: string): Json | undefined {
  if (route.request) {
    const schema = schemaReference(route.request, schemas);
    const example = route.example && { example: route.example.request };
    return { required: true, content: { "application/json": { schema, ...example } } };
  }
  if (!WITH_BODY.has(method)) return undefined;
  const description = "The native body. The cluster gets it unchanged, whatever its media type.";
  return { description, required: false, content: { "application/json": { schema: {} } } };
}

function answers({ schemas }: ApiDescription, route: Route, method: string, isLogged: boolean): Json {
  const { response, example } = route;
  const common = { "x-request-id": header("RequestId") };
  if (!response) {
    const content = { "application/json": { schema: {} }, "text/plain": { schema: { type: "string" } } };
    const native = { headers: common, ...(method !== "HEAD" && { content }) };
    return {
      "200": { description: "The cluster's own answer.", ...native },
      ...(WITH_BODY.has(method) && { "201": { description: "The cluster created a document.", ...native } }),
    };
  }
  const schema = schemaReference(response, schemas);
  const shown = example?.response !== undefined && { example: example.response };
  return {
    "200": {
      description: "Done. `degraded` lists the parts that are missing from the answer.",
      headers: {
        ...common,
        ...(isLogged && { "x-query-id": header("QueryId"), "server-timing": header("ServerTiming") }),
        "x-degraded": header("Degraded"),
      },
      content: { "application/json": { schema, ...shown } },
    },
  };
}

function pathParameters({ path }: Route): Json {
  if (!path.includes("{proxy+}")) return {};
  const description = "A path of the cluster's API; it may contain slashes.";
  return { parameters: [{ name: "proxy", in: "path", required: true, description, schema: { type: "string" } }] };
}

/** Returns an operation's id: the last segment of the path if the route has one method, else method and whole path. */
function operationId({ path, methods }: Route, method: string): string {
  const segments = path.replaceAll(/[{}+]/g, "").split("/").filter(Boolean);
  const words = (methods.length === 1 ? segments.slice(-1) : [method.toLowerCase(), ...segments]).join("-").split("-");
  return words.map((word, index) => (index === 0 ? word : `${word[0]?.toUpperCase()}${word.slice(1)}`)).join("");
}
