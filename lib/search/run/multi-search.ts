import * as v from "valibot";
import type { SearchKind } from "../../platform/contract/search.ts";
import { requireEndpoint } from "../../platform/http/access.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { Call, JsonCall, Reply } from "../../platform/http/event.ts";
import { type ApiOptions, acceptsGzip, MAX_RESULT_BYTES, reportedError } from "../../platform/http/middleware.ts";
import { invalidRequest, objectSchema, validate } from "../../platform/http/validate.ts";
import { queryIssue } from "../../platform/json/query-issue.ts";
import { elementSlices, memberSlices } from "../../platform/json/slices.ts";
import { isHybrid } from "../../platform/json/template.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import { requireTemplate } from "../access/templates.ts";
import type { GatewaySettings } from "../gateway/settings.ts";
import { templateNamed } from "./named-template.ts";
import { namedTemplateFields } from "./request.ts";

/** The most searches in one request. */
export const MAX_SEARCHES = 20;

/** Concurrent searches of one request. */
const AT_ONCE = 5;

/** The most characters of all answers together: as many as one search may get from the cluster. */
const MOST_CHARACTERS = 24 * 1024 * 1024;

/** The most bytes of answers in an uncompressed response: the limit minus headers and errors. */
const MOST_PLAIN_BYTES = MAX_RESULT_BYTES - 65_536;

/** The body of a request with several searches. Each is validated separately, and errors are in its own answer. */
export const MultiSearchRequest = v.strictObject({
  searches: v.pipe(v.array(v.unknown()), v.minLength(1), v.maxLength(MAX_SEARCHES)),
});
export type MultiSearchRequest = v.InferOutput<typeof MultiSearchRequest>;

const WithTemplate = objectSchema(v.looseObject({ template: namedTemplateFields.template }));

/** Answers one search, after validating its body against the schema of its kind. */
export type OneSearch = (call: JsonCall<unknown>) => Promise<Reply>;

/** Loads the code that answers the searches of each kind. */
export type SearchLoaders = Readonly<Record<SearchKind, () => Promise<OneSearch>>>;

/**
 * Answers `POST /application/multi-search`. Each search names a template, and is answered in order as the endpoint of
 * the template's kind would. A failed search does not affect the others. All share the request's time and the size of
 * one response: an answer that does not fit leaves its room to others, and searches after the limit is reached are not
 * sent to the cluster.
 */
export async function multiSearch(
  { settings: { templates }, api }: { settings: Pick<GatewaySettings, "templates">; api: ApiOptions },
  load: SearchLoaders,
  call: JsonCall<MultiSearchRequest>,
): Promise<Reply> {
  const { body, text } = call;
  const list = memberSlices(text).get("searches");
  const texts = elementSlices(text, list?.start, list?.end).map(({ start, end }) => text.slice(start, end));
  const degraded = new Set<string>();
  const isPacked = acceptsGzip(call.headers["accept-encoding"]);
  const room = isPacked ? MOST_CHARACTERS : MOST_PLAIN_BYTES;
  let used = 0;
  const results = await concurrently([...body.searches.entries()], AT_ONCE, async ([place, search]) => {
    try {
      if (used >= room) throw tooLarge("The other answers have used up what one response can hold.", { used, room });
      const reply = await searched(templates, load, { ...call, body: search, text: texts[place] ?? "" });
      const { "x-query-id": queryId, "x-degraded": stages } = reply.headers ?? {};
      // An uncompressed response contains the answer as a JSON string, with quotes and other characters escaped.
      const size = isPacked ? reply.body.length : Buffer.byteLength(JSON.stringify(String(reply.body)));
      if (used + size > room) {
        throw tooLarge("One response cannot hold this answer beside the other answers.", { size, used, room });
      }
      used += size;
      for (const stage of stages?.split(", ") ?? []) degraded.add(stage);
      return `{"status":${reply.status},"query_id":${JSON.stringify(queryId)},"answer":${reply.body}}`;
    } catch (thrown) {
      const error = reportedError(api, thrown, call.requestId, () => call.caller.name);
      return `{"status":${error.statusCode},${error.body(call.requestId).slice(1)}`;
    }
  });
  return {
    status: 200,
    headers: { ...(degraded.size > 0 && { "x-degraded": [...degraded].join(", ") }) },
    body: `{"results":[${results.join(",")}]}`,
  };
}

type Templates = GatewaySettings["templates"];

/** Answers one search as if it had been sent alone. */
async function searched(templates: Templates, load: SearchLoaders, call: JsonCall<unknown>): Promise<Reply> {
  const { template } = validate(WithTemplate, call.body);
  const kind = kindOf(templates, call, template);
  requireEndpoint(call.caller, [kind]);
  const harmful = queryIssue(call.body);
  if (harmful) throw invalidRequest([harmful]);
  return (await load[kind]())(call);
}

/** Returns the kind of a template. Throws `forbidden` if the key may not use it, `template_not_found` if there is none. */
function kindOf(templates: Templates, { caller }: Call, name: string): SearchKind {
  requireTemplate(caller, name);
  return isHybrid(templateNamed(templates, name).search_request_template) ? "hybrid-search" : "search";
}

const tooLarge = (message: string, sizes: Readonly<Record<string, number>>) =>
  new ApiError("response_too_large", message, { cause: JSON.stringify(sizes) });
