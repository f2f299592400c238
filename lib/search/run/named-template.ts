import type { SearchKind } from "../../platform/contract/search.ts";
import { ApiError, type Issue } from "../../platform/http/error.ts";
import { invalidRequest } from "../../platform/http/validate.ts";
import { nestingIssue, queryIssue } from "../../platform/json/nesting.ts";
import { type Parameter, singleOf, valueIssue } from "../../platform/json/parameters.ts";
import { memberSlices } from "../../platform/json/slices.ts";
import { fillTemplate, isHybrid, parametersOf } from "../../platform/json/template.ts";
import { withoutAbsent } from "../../platform/json/when.ts";
import type { GatewaySettings } from "../gateway/settings.ts";

type NamedTemplate = GatewaySettings["templates"][number];

/** The values of a request for a named template. */
interface TemplateRequest {
  endpoint: SearchKind;
  name: string;
  /** The request member with the text of the search. */
  queryMember: "user_query" | "search_query";
  /** The request member that the template replaces, for messages. */
  bodyMember: "search_request" | "search_request_template";
  /** The text to search for; undefined for the request's own. */
  text?: string | undefined;
}

/** The body of a search as text and parsed. */
export interface SearchBody {
  text: string;
  parsed: Record<string, unknown>;
  /** The caller's values in a configured template. Undefined if the whole body is the caller's. */
  values?: readonly unknown[];
}

/**
 * Fills a configured template with the request's values, which keep their bytes. Throws `template_not_found`, and
 * `invalid_request` for a template of the other endpoint, invalid parameters, and values that would make the search
 * harmful to the cluster.
 */
export function namedTemplate(
  { templates }: Pick<GatewaySettings, "templates">,
  { endpoint, name, queryMember, bodyMember, text: replaced }: TemplateRequest,
  requestText: string,
): SearchBody {
  const named = templates.find((template) => template.name === name);
  if (!named) throw new ApiError("template_not_found", `hybrid_search.yaml has no template "${name}".`);
  const served = isHybrid(named.search_request_template) ? "hybrid-search" : "search";
  if (served !== endpoint) {
    const message = `names a template of the other kind of search: send "${name}" to /application/${served}`;
    throw invalidRequest([{ path: "template", message }]);
  }
  const members = memberSlices(requestText);
  const textOf = (member: string): string | undefined => {
    const slice = members.get(member);
    const value = slice && requestText.slice(slice.start, slice.end);
    return value === "null" ? undefined : value;
  };
  const issues: Issue[] = [];
  const given = textOf("params") ?? "{}";
  const query = replaced === undefined ? textOf(queryMember) : JSON.stringify(replaced);
  const text = filled(named, query, given, (path, message) => issues.push({ path: path ?? queryMember, message }));
  if (issues.length > 0) throw invalidRequest(issues);
  const parsed = JSON.parse(text) as Record<string, unknown>;
  const harmful = nestingIssue(Buffer.from(text)) ?? queryIssue(parsed);
  if (harmful) throw invalidRequest([{ ...harmful, path: `${bodyMember}.${harmful.path}` }]);
  return { text, parsed, values: Object.values(JSON.parse(given) as object) };
}

/** Adds an issue. Without a path, it concerns the text of the search. */
type Report = (path: string | undefined, message: string) => void;

function filled(named: NamedTemplate, query: string | undefined, given: string, report: Report): string {
  const { search_request_template: template, parameters } = named;
  const params = parameters ? declaredValues(parameters, given, report) : freeValues(named, given, report);
  const kept = parameters ? withoutAbsent(template, (name) => params.has(name)) : template;
  const { text, missing, lacksQuery } = fillTemplate(kept, { search_query: query, params });
  for (const name of missing) report(`params.${name}`, "is required by this template");
  if (lacksQuery) report(undefined, "is required by this template");
  return text;
}

/** Returns the JSON texts of undeclared parameters: the request's, else the defaults. */
function freeValues(
  { search_request_template: template, params }: NamedTemplate,
  given: string,
  report: Report,
): Map<string, string> {
  const values = new Map(Object.entries(params).map(([name, value]) => [name, JSON.stringify(value)]));
  const known = parametersOf(template);
  for (const [name, { start, end }] of memberSlices(given)) {
    if (known.has(name)) values.set(name, given.slice(start, end));
    else report(`params.${name}`, UNKNOWN);
  }
  return values;
}

const UNKNOWN = "is not a parameter of this template";

/** More digits than any number needs. The cluster would read a million of them. */
const MANY_DIGITS = /[-+.\deE]{65}/;

/** Returns the JSON texts of declared parameters, and reports invalid ones. Null for a parameter without a value. */
function declaredValues(parameters: readonly Parameter[], given: string, report: Report): Map<string, string> {
  const values = new Map<string, string>();
  const slices = memberSlices(given);
  for (const parameter of parameters) {
    const { name } = parameter;
    const slice = slices.get(name);
    const text = slice && given.slice(slice.start, slice.end);
    slices.delete(name);
    if (text === undefined || text === "null") {
      if (parameter.default !== undefined) values.set(name, JSON.stringify(parameter.default));
      continue;
    }
    const issue =
      valueIssue(parameter, JSON.parse(text)) ??
      (singleOf(parameter.type) === "number" && MANY_DIGITS.test(text) ? "must have at most 64 digits" : undefined);
    if (issue !== undefined) report(`params.${name}`, issue);
    values.set(name, text);
  }
  for (const name of slices.keys()) report(`params.${name}`, UNKNOWN);
  return values;
}
