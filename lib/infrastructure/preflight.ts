import type { Method, Route } from "../platform/http/route.ts";

export interface PreflightOptions {
  /** `allow_origins` of api.yaml. */
  allowOrigins: readonly string[];
  /** The headers by which a caller proves who it is. */
  credentialHeaders: readonly string[];
  methods: readonly Method[];
}

const JSON_TYPE = "application/json";

/** For how long a browser may reuse the answer, in seconds. */
const MAX_AGE_S = 600;

/**
 * Returns the OPTIONS method of a resource as OpenAPI with its extensions. API Gateway answers it without the function: an
 * integration that calls nothing, whose request template names the status, which selects the response. A header can only be mapped to one literal, so of several origins a template
 * selects the caller's. All media types are binary here, and templates need text: hence the two `contentHandling`.
 */
export function preflight({ allowOrigins, credentialHeaders, methods }: PreflightOptions) {
  const [only = "", another] = allowOrigins;
  const headers = {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": [...credentialHeaders, "content-type", "x-client-id"].join(", "),
    "access-control-max-age": String(MAX_AGE_S),
    ...(another === undefined && { "access-control-allow-origin": only }),
    ...(only !== "*" && { vary: "origin" }),
  };
  const names = Object.keys(headers);
  return {
    responses: {
      204: {
        description: "What pages of the allowed origins may send",
        headers: Object.fromEntries(names.map((name) => [name, { schema: { type: "string" } }])),
      },
    },
    "x-amazon-apigateway-integration": {
      type: "mock",
      passthroughBehavior: "never",
      contentHandling: "CONVERT_TO_TEXT",
      requestTemplates: { [JSON_TYPE]: '{"statusCode": 204}' },
      responses: {
        default: {
          statusCode: "204",
          contentHandling: "CONVERT_TO_TEXT",
          responseParameters: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, `'${value}'`]),
          ),
          responseTemplates: { [JSON_TYPE]: another === undefined ? "" : originTemplate(allowOrigins) },
        },
      },
    },
  };
}

/**
 * Returns a template that allows the caller's origin if it is listed, and prints nothing. Browsers send the header's name
 * in lower case over HTTP/2 and as `Origin` over HTTP/1.1, and templates distinguish the two. Source: "Override your API's
 * request and response parameters", API Gateway Developer Guide.
 */
function originTemplate(origins: readonly string[]): string {
  return [
    "#set($headers = $input.params().header)",
    '#set($origin = $headers.get("origin"))',
    '#if(!$origin)#set($origin = $headers.get("Origin"))#end',
    `#if(${origins.map((origin) => `$origin == "${origin}"`).join(" || ")})`,
    "#set($context.responseOverride.header.access-control-allow-origin = $origin)",
    "#end",
  ].join("");
}

/** Returns the methods that a page may use on a resource; on resources that catch every other path, those of all routes. */
export function methodsOf(routes: readonly Route[], resource: string): Method[] {
  const own = routes.filter(({ path }) => path === resource);
  return [...new Set((own.length > 0 ? own : routes).flatMap(({ methods }) => methods))];
}
