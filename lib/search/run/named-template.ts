import type { SearchKind } from "../../platform/contract/search.ts";
import { ApiError, type Issue } from "../../platform/http/error.ts";
import { invalidRequest } from "../../platform/http/validate.ts";
import { nestingIssue } from "../../platform/json/nesting.ts";
import { type Parameter, singleOf, valueIssue } from "../../platform/json/parameters.ts";
import { queryIssue } from "../../platform/json/query-issue.ts";
import { memberSlices } from "../../platform/json/slices.ts";
import { fillTemplate, isHybrid, parametersOf } from "../../platform/json/template.ts";
import { withoutAbsent } from "../../platform/json/when.ts";
import { namesThereAre } from "../../settings/nearest.ts";
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
  /** The caller's text of the search, if a parameter of the template holds it. */
  query?: string | undefined;
  /** Whether the template has a place for the text of the search. */
  hasText?: boolean;
}

/** Returns a configured template. Throws `template_not_found`, which names those that exist. */
export function templateNamed(templates: readonly NamedTemplate[], name: string): NamedTemplate {
  const named = templates.find((template) => template.name === name);
  if (named) return named;
  const known = templates.map((template) => template.name);
  throw new ApiError(
    "template_not_found",
    `hybrid_search.yaml has no template "${name}": ${namesThereAre(name, known)}.`,
  );
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
  const named = templateNamed(templates, name);
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
  const replacement = replaced === undefined ? undefined : JSON.stringify(replaced);
  const report: Report = (path, message) => issues.push({ path: path ?? queryMember, message });
  const { text, ...about } = filled(named, { given, query: textOf(queryMember), replacement }, report);
  if (issues.length > 0) throw invalidRequest(issues);
  const parsed = JSON.parse(text) as Record<string, unknown>;
  const harmful = nestingIssue(Buffer.from(text)) ?? queryIssue(parsed);
  if (harmful) throw invalidRequest([{ ...harmful, path: `${bodyMember}.${harmful.path}` }]);
  return { text, parsed, values: Object.values(JSON.parse(given) as object), ...about };
}

/** Adds an issue. Without a path, it concerns the text of the search. */
type Report = (path: string | undefined, message: string) => void;

/** JSON texts of a request: its parameters, its text, and the text to search for instead. */
interface Texts {
  given: string;
  query: string | undefined;
  replacement: string | undefined;
}

function filled(named: NamedTemplate, { given, query, replacement }: Texts, report: Report) {
  const { search_request_template: template, parameters } = named;
  const params = parameters ? declaredValues(parameters, given, query, report) : freeValues(named, given, report);
  const role = parameters?.find((parameter) => parameter.role === "query")?.name ?? "";
  const own = params.get(role);
  if (replacement !== undefined && role !== "") params.set(role, replacement);
  const kept = parameters ? withoutAbsent(template, (name) => params.has(name)) : template;
  const search_query = replacement ?? query ?? own;
  const { text, missing, used, usesQuery } = fillTemplate(kept, { search_query, params });
  for (const name of missing) report(`params.${name}`, "is required by this template");
  if (usesQuery && search_query === undefined) report(undefined, "is required by this template");
  return { text, query: own && (JSON.parse(own) as string), hasText: usesQuery || used.has(role) };
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
    else report(`params.${name}`, unknownIn(name, [...known]));
  }
  return values;
}

const unknownIn = (name: string, known: readonly string[]) =>
  `is not a parameter of this template: ${namesThereAre(name, known)}`;

/** More digits than any number needs. The cluster would read a million of them. */
const MANY_DIGITS = /[-+.\deE]{65}/;

/** Returns the JSON texts of declared parameters, and reports invalid ones. Null for a parameter without a value. */
function declaredValues(
  parameters: readonly Parameter[],
  given: string,
  query: string | undefined,
  report: Report,
): Map<string, string> {
  const values = new Map<string, string>();
  const slices = memberSlices(given);
  for (const parameter of parameters) {
    const { name, role } = parameter;
    const slice = slices.get(name);
    const sent = slice && given.slice(slice.start, slice.end);
    const text = sent === undefined || sent === "null" ? role && query : sent;
    slices.delete(name);
    if (text === undefined) {
      if (parameter.default !== undefined) values.set(name, JSON.stringify(parameter.default));
      continue;
    }
    const issue =
      valueIssue(parameter, JSON.parse(text)) ??
      (singleOf(parameter.type) === "number" && MANY_DIGITS.test(text) ? "must have at most 64 digits" : undefined);
    if (issue !== undefined) report(`params.${name}`, issue);
    values.set(name, text);
  }
  const known = parameters.map(({ name }) => name);
  for (const name of slices.keys()) report(`params.${name}`, unknownIn(name, known));
  return values;
}
