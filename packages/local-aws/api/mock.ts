import { ApiError } from "@relevance/lib/platform/http/error.ts";
import { render } from "velocityjs";
import type { Answer } from "./answer.ts";

const JSON_TYPE = "application/json";

/** A mock integration in the form of an OpenAPI document (`x-amazon-apigateway-integration`). */
export interface Mock {
  contentHandling?: string | undefined;
  requestTemplates: Readonly<Record<string, string>>;
  responses: {
    default: {
      statusCode: string;
      contentHandling?: string | undefined;
      responseParameters: Readonly<Record<string, string>>;
      responseTemplates: Readonly<Record<string, string>>;
    };
  };
}

/** The headers of a request, with the names as they were sent. */
type SentHeaders = ReadonlyMap<string, string>;

/**
 * Returns the response of a mock integration, evaluating its templates like API Gateway. Throws where API Gateway
 * returns an error: 415 for a content type without a template, 500 for bodies that stay binary and for templates that
 * are not JSON.
 */
export function mockAnswer({ requestTemplates, ...integration }: Mock, headers: SentHeaders): Answer {
  const contentType = find(headers, "content-type")?.split(";")[0]?.trim() ?? JSON_TYPE;
  const requestTemplate = requestTemplates[contentType];
  if (requestTemplate === undefined)
    throw new ApiError("unsupported_media_type", "The content type must be application/json.");
  const { default: response } = integration.responses;
  // Every content type counts as binary, and templates need text.
  if ([integration, response].some(({ contentHandling }) => contentHandling !== "CONVERT_TO_TEXT")) {
    throw broken("a body that stays binary cannot be transformed");
  }
  const status = statusOf(evaluate(requestTemplate, headers).text);
  if (String(status) !== response.statusCode) throw broken(`no response for status ${status}`);
  const { text, overrides } = evaluate(response.responseTemplates[JSON_TYPE] ?? "", headers);
  const mapped = Object.entries(response.responseParameters).map(([target, value]): [string, string] => [
    headerName(target),
    literal(value),
  ]);
  return { status, headers: [...new Map([...mapped, ...overrides])], body: text };
}

function evaluate(template: string, headers: SentHeaders): { text: string; overrides: [string, string][] } {
  const header: Record<string, string> = {};
  const text = render(template, {
    input: { params: () => ({ header: headers }) },
    context: { responseOverride: { header } },
  });
  return { text, overrides: Object.entries(header).map(([name, value]) => [name.toLowerCase(), value]) };
}

function statusOf(text: string): number {
  const { statusCode }: { statusCode?: unknown } = JSON.parse(text);
  if (typeof statusCode !== "number") throw broken(`the request template gives no status: ${text}`);
  return statusCode;
}

function headerName(target: string): string {
  const [, name] = /^method\.response\.header\.([\w-]+)$/.exec(target) ?? [];
  if (name === undefined) throw broken(`${target} is not a header of the response`);
  return name.toLowerCase();
}

function literal(value: string): string {
  const [, text] = /^'([^']*)'$/.exec(value) ?? [];
  if (text === undefined) throw broken(`${value} is not a literal`);
  return text;
}

function find(headers: SentHeaders, wanted: string): string | undefined {
  for (const [name, value] of headers) if (name.toLowerCase() === wanted) return value;
  return undefined;
}

const broken = (why: string) => new ApiError("internal", `The mock integration is not valid: ${why}.`, { cause: why });
