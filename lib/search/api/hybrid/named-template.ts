import { ApiError, type Issue } from "../../../core/http/error.ts";
import { invalidRequest } from "../../../core/http/validate.ts";
import { nestingIssue, queryIssue } from "../../../core/json/nesting.ts";
import { memberSlices } from "../../../core/json/slices.ts";
import { fillTemplate, parametersOf } from "../../../core/json/template.ts";
import type { GatewaySettings } from "../../gateway/settings.ts";
import type { HybridRequest } from "./request.ts";

type NamedTemplate = GatewaySettings["templates"][number];

/** The template of a request: its text, and the same parsed. */
export interface RequestTemplate {
  text: string;
  parsed: unknown;
}

/**
 * Returns the template that a request has or names. In a named one, the request's values replace the tokens with the
 * bytes that they came with. Throws `template_not_found`, and `invalid_request` for parameters that do not fit and for
 * values that make the template harmful to the cluster.
 */
export function templateOf(
  { templates }: Pick<GatewaySettings, "templates">,
  request: Pick<HybridRequest, "search_request_template" | "template">,
  requestText: string,
): RequestTemplate {
  const members = memberSlices(requestText);
  const textOf = (member: string) => {
    const slice = members.get(member);
    return requestText.slice(slice?.start, slice?.end);
  };
  if (request.search_request_template) {
    return { text: textOf("search_request_template"), parsed: request.search_request_template };
  }
  const named = templates.find(({ name }) => name === request.template);
  if (!named) throw new ApiError("template_not_found", `hybrid_search.yaml has no template "${request.template}".`);
  const given = members.has("params") ? textOf("params") : "null";
  const text = filled(named, textOf("search_query"), given === "null" ? "{}" : given);
  const parsed: unknown = JSON.parse(text);
  const harmful = nestingIssue(Buffer.from(text)) ?? queryIssue(parsed);
  if (harmful) throw invalidRequest([{ ...harmful, path: `search_request_template.${harmful.path}` }]);
  return { text, parsed };
}

function filled({ search_request_template: template, params }: NamedTemplate, query: string, given: string): string {
  const values = new Map(Object.entries(params).map(([name, value]) => [name, JSON.stringify(value)]));
  const known = parametersOf(template);
  const issues: Issue[] = [];
  for (const [name, { start, end }] of memberSlices(given)) {
    if (known.has(name)) values.set(name, given.slice(start, end));
    else issues.push({ path: `params.${name}`, message: "is not a parameter of this template" });
  }
  const { text, missing } = fillTemplate(template, { search_query: query, params: values });
  issues.push(...missing.map((name) => ({ path: `params.${name}`, message: "is required by this template" })));
  if (issues.length > 0) throw invalidRequest(issues);
  return text;
}
