import type { KeyRules } from "../../platform/http/access.ts";
import { isList, type Parameter, singleOf } from "../../platform/json/parameters.ts";
import { withMembers } from "../../platform/json/slices.ts";
import { fillTemplate, isHybrid, parameterOf, parametersOf, QUERY_TOKEN } from "../../platform/json/template.ts";
import { isObject } from "../../platform/json/values.ts";
import { withoutAbsent } from "../../platform/json/when.ts";
import { ArgumentError, type Arguments, CURSOR, type ResultList, type Tool } from "../../platform/mcp/tool.ts";
import type { GatewaySettings } from "../gateway/settings.ts";

type Template = GatewaySettings["templates"][number];

/**
 * Returns a tool for each template that a key may use. Templates with undeclared parameters are left out, because a
 * value may be a query.
 */
export function templateTools(
  { templates, indexes }: Pick<GatewaySettings, "templates" | "indexes">,
  key: KeyRules,
): Tool[] {
  const known = indexes.map(({ index }) => index);
  return templates.filter((template) => isOffered(template, key)).map((template) => templateTool(template, key, known));
}

const kindOf = ({ search_request_template: native }: Template) => (isHybrid(native) ? "hybrid-search" : "search");

function isOffered(template: Template, { templates, endpoints }: KeyRules): boolean {
  const isDeclared = template.parameters !== undefined || parametersOf(template.search_request_template).size === 0;
  return isDeclared && endpoints.includes(kindOf(template)) && templates?.includes(template.name) !== false;
}

function templateTool(template: Template, { indexes }: KeyRules, known: readonly string[]): Tool {
  const { name, description = `Searches with the template ${name}.` } = template;
  const kind = kindOf(template);
  const native = template.search_request_template;
  const [only, another] = indexes ?? [];
  const index = only !== undefined && another === undefined && !only.endsWith("*") ? only : undefined;
  const needsQuery = kind === "hybrid-search" || JSON.stringify(native).includes(JSON.stringify(QUERY_TOKEN));
  const from = pageParameter(template);
  const parameters = (template.parameters ?? []).filter((one) => one !== from);
  const required = requiredOf(template).filter((one) => one !== from?.name);
  // After the greatest start, pages go on within the last one.
  const placeOf = (given: Arguments) => Number(from?.default ?? from?.min ?? 0) + given.skip;
  const startOf = (given: Arguments) => Math.min(placeOf(given), from?.max ?? Number.POSITIVE_INFINITY);
  return {
    name: `search_${name}`,
    description,
    inputSchema: {
      type: "object",
      properties: {
        ...(needsQuery && { query: { type: "string", description: "What is searched for, in words." } }),
        ...(index === undefined && { index: indexSchema(indexes, known) }),
        ...(parameters.length > 0 && {
          params: {
            type: "object",
            properties: Object.fromEntries(parameters.map((one) => [one.name, parameterSchema(one)])),
            required,
            additionalProperties: false,
          },
        }),
        cursor: CURSOR,
      },
      required: [
        ...(needsQuery ? ["query"] : []),
        ...(index === undefined ? ["index"] : []),
        ...(required.length > 0 ? ["params"] : []),
      ],
      additionalProperties: false,
    },
    path: `/application/${kind}`,
    request(given) {
      const params = given.json("params") ?? "{}";
      if (!params.startsWith("{")) throw new ArgumentError('The argument "params" must be an object.');
      if (from && Object.hasOwn(JSON.parse(params), from.name)) {
        throw new ArgumentError(`There is no parameter "${from.name}": the cursor asks for the next page.`);
      }
      const query = given.text("query");
      const member = kind === "search" ? "user_query" : "search_query";
      return withMembers("{}", {
        index: JSON.stringify(index ?? given.text("index")),
        template: JSON.stringify(name),
        ...(query !== undefined && { [member]: JSON.stringify(query) }),
        params: from ? withMembers(params, { [from.name]: String(startOf(given)) }) : params,
      });
    },
    read: (answer, given, headers) =>
      hitsOf(answer, {
        queryId: headers["x-query-id"],
        skip: from ? placeOf(given) - startOf(given) : given.skip,
        ...(from && { from: { start: startOf(given), most: from.max ?? Number.POSITIVE_INFINITY } }),
      }),
  };
}

/** Returns the declared number that is the template's `from`, for paging. */
function pageParameter({ search_request_template: { from }, parameters }: Template): Parameter | undefined {
  const name = typeof from === "string" ? parameterOf(from) : undefined;
  return parameters?.find((one) => one.name === name && one.type === "number" && one.values === undefined);
}

/** Returns the required parameters of a template. */
function requiredOf({ search_request_template: template, parameters = [] }: Template): string[] {
  const params = new Map(
    parameters.flatMap(({ name, default: value }) =>
      value === undefined ? [] : [[name, JSON.stringify(value)] as const],
    ),
  );
  return [
    ...fillTemplate(
      withoutAbsent(template, (name) => params.has(name)),
      { search_query: '""', params },
    ).missing,
  ];
}

/**
 * Returns the schema of the index parameter, limited to the indexes that the key may use. The endpoint checks it as
 * well.
 */
function indexSchema(granted: KeyRules["indexes"], known: readonly string[]) {
  const patterns = (granted ?? []).some((name) => name.endsWith("*"));
  if (granted && !patterns) return { type: "string", enum: granted, description: "The index." };
  const which = granted
    ? `One of, or beginning like: ${granted.join(", ")}`
    : `Such as: ${known.join(", ") || "books"}`;
  return { type: "string", description: `The index or alias. ${which}.` };
}

function parameterSchema(parameter: Parameter) {
  const { type, description, default: preset, max_items } = parameter;
  const about = { ...(description !== undefined && { description }), ...(preset !== undefined && { default: preset }) };
  const single = singleSchema(parameter);
  if (!isList(type)) return { ...single, ...about };
  return { type: "array", items: single, ...(max_items !== undefined && { maxItems: max_items }), ...about };
}

const singleSchema = ({ type, min, max, max_length, values }: Parameter) => ({
  type: singleOf(type),
  ...(min !== undefined && { minimum: min }),
  ...(max !== undefined && { maximum: max }),
  ...(max_length !== undefined && { maxLength: max_length }),
  ...(values && { enum: values }),
});

/** How to page an answer: by the template's `from`, or by skipping hits of one page. */
interface Paged {
  queryId: unknown;
  skip: number;
  from?: { start: number; most: number };
}

function hitsOf(
  { search_response, stages, degraded, did_you_mean }: Readonly<Record<string, unknown>>,
  { queryId, skip, from }: Paged,
): ResultList {
  const { hits: page, aggregations } = search_response as { hits?: Page; aggregations?: unknown };
  const hits = page?.hits ?? [];
  const several = new Set(hits.map(({ _index }) => _index)).size > 1;
  const total = page?.total?.value;
  // Pinned documents that the search does not find are on its pages, too.
  const outside = Array.isArray(stages) ? stages.reduce((sum, { outside = 0 }) => sum + outside, 0) : 0;
  const left = hits.slice(skip);
  return {
    list: "hits",
    entries: left.map(({ _id, _index, _source, fields, highlight }) => ({
      id: _id,
      ...(several && { index: _index }),
      ...(_source !== undefined && { document: _source }),
      ...(fields !== undefined && { fields }),
      ...(highlight !== undefined && { highlight }),
    })),
    hasMore(shown) {
      if (shown < left.length) return true;
      if (!from) return false;
      const next = from.start + skip + shown;
      return next <= from.most && (total === undefined || next < Number(total) + outside);
    },
    facts: {
      did_you_mean,
      total,
      ...(page?.total?.relation === "gte" && { total_is: "at least" }),
      query_id: queryId,
      ...(isObject(aggregations) && { aggregations }),
      degraded,
    },
  };
}

interface Page {
  hits?: Readonly<Record<string, unknown>>[];
  total?: { value?: unknown; relation?: unknown } | null;
}
