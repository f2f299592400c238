import { ApiError, type Issue } from "../../platform/http/error.ts";
import type { ProxyEvent } from "../../platform/http/event.ts";
import { invalidRequest } from "../../platform/http/validate.ts";
import { nestingIssue } from "../../platform/json/nesting.ts";
import { hasDeepBrackets, queryIssue, stringIssue } from "../../platform/json/query-issue.ts";
import { isObject, parseJson } from "../../platform/json/values.ts";
import { endpointOf } from "../access/calls.ts";

/** Formats that the cluster accepts but whose nesting the gateway cannot check. */
const UNREADABLE = /yaml|cbor|smile/i;

/** Endpoints of term vectors, whose body can occupy a thread of the cluster for ever. */
const TERM_VECTORS = new Set(["_termvectors", "_mtermvectors"]);

/** Endpoints whose body holds documents. The cluster does not parse their texts as queries. */
const DOCUMENTS = new Set(["_doc", "_create", "_bulk", "_update", "_source"]);

interface NativeContent {
  segments: readonly string[];
  contentType: string | undefined;
  parameters: ProxyEvent["multiValueQueryStringParameters"];
  body: Buffer;
}

/**
 * Rejects requests that could crash a node: JSON, query strings or `wrapper` queries nested so deep that its stack
 * overflows, regular expressions that need more memory than it has, or a body of `_termvectors` that it never stops
 * reading. Throws `invalid_request` with the path, or `unsupported_media_type` for YAML, CBOR and Smile.
 */
export function requireHarmless({ segments, contentType = "", parameters, body }: NativeContent): void {
  const given = Object.entries(parameters ?? {}).flatMap(([name, values = []]) =>
    values.map((value) => ({ name, value })),
  );
  const sources = given.filter(({ name }) => name === "source").map(({ value }) => Buffer.from(value));
  const types = given.filter(({ name }) => name === "source_content_type").map(({ value }) => value);
  if (body.length > 0) types.push(contentType);
  if (types.some((type) => UNREADABLE.test(type))) {
    throw new ApiError("unsupported_media_type", "YAML, CBOR and Smile are not accepted here; send JSON.");
  }
  const { name } = endpointOf(segments);
  const texts = body.length > 0 ? [body, ...sources] : sources;
  const issue =
    parameterIssue(given) ??
    texts.map(nestingOf(!DOCUMENTS.has(name))).find(Boolean) ??
    (TERM_VECTORS.has(name) ? texts.map((text) => termVectorsIssue(text.toString())).find(Boolean) : undefined);
  if (issue) throw invalidRequest([issue]);
}

function parameterIssue(given: ReadonlyArray<{ name: string; value: string }>): Issue | undefined {
  for (const { name, value } of given) {
    const issue = name === "source" ? undefined : stringIssue(value, name, name === "q" ? "query string" : undefined);
    if (issue) return issue;
  }
  return undefined;
}

const nestingOf =
  (queries: boolean) =>
  (bytes: Buffer): Issue | undefined =>
    nestingIssue(bytes) ?? (queries ? queriesIssue(bytes.toString("utf8")) : undefined);

/** Checks the queries in one JSON text, or in one JSON text per line. */
function queriesIssue(text: string): Issue | undefined {
  const whole = parseJson(text);
  if (whole !== undefined) return queryIssue(whole);
  for (const line of text.split("\n")) {
    const one = parseJson(line);
    const issue = one === undefined ? unparsableIssue(line) : queryIssue(one);
    if (issue) return issue;
  }
  return undefined;
}

/**
 * Returns an issue for a line that JSON.parse rejects and that may contain a harmful query. The cluster's parser may
 * accept the line, because it allows comments, for example.
 */
function unparsableIssue(line: string): Issue | undefined {
  // The cluster detects UTF-16 and UTF-32, in which each of these characters comes with zero bytes.
  const hides = line.includes("\0") || /wrapper|regex|clude|query_string|\\u00/.test(line);
  if (!hides && !hasDeepBrackets(line)) return undefined;
  return { path: "", message: "is not valid JSON, so that its queries cannot be checked" };
}

/**
 * Returns an issue for a body of `_termvectors` or `_mtermvectors` that the cluster would never finish reading. Its
 * parser (TermVectorsRequest.parseRequest) reads up to the end of an object and does not notice the end of the text, so
 * a body that is not an object, or a `filter` that is not one, occupies a thread until the node is restarted.
 */
function termVectorsIssue(text: string): Issue | undefined {
  const body = parseJson(text);
  if (!isObject(body)) return { path: "", message: "must be a JSON object" };
  const { docs } = body;
  const requests: Array<[path: string, request: unknown]> = [
    ["filter", body],
    ["parameters.filter", body.parameters],
    ...(Array.isArray(docs) ? docs.map((doc, index): [string, unknown] => [`docs.${index}.filter`, doc]) : []),
  ];
  const endless = requests.find(
    ([, request]) => isObject(request) && Object.hasOwn(request, "filter") && !isObject(request.filter),
  );
  return endless && { path: endless[0], message: "must be an object" };
}
