import {
  isList,
  type Parameter,
  type ParameterType,
  singleIssue,
  singleOf,
  valueIssue,
} from "../../platform/json/parameters.ts";
import { isHybrid, parametersOf } from "../../platform/json/template.ts";
import type { Template } from "../hybrid-search.ts";
import { joinWords } from "../kinds.ts";
import type { Path } from "../problem.ts";
import { foundIn, isScriptText, isSearchedFor, type TemplatePart } from "../template-tokens.ts";
import type { Draft } from "../validate.ts";
import { type Check, noneTwice, type Report, sound } from "./drafts.ts";

const file = "hybrid_search";

/**
 * Checks that a hybrid template has subqueries, that its parameters are declared, valid and used, and that a parameter of
 * any text stands only where the cluster reads it as text, never as a query or script.
 */
export const checkTemplates: Check = ({ hybrid_search }, report) => {
  const templates = hybrid_search?.templates;
  noneTwice(report, file, ["templates"], templates, "name", (first) => `: see templates[${first}]`);
  for (const [position, { search_request_template: template, params = {}, parameters }] of sound(templates)) {
    const path = ["templates", position];
    if (parameters !== undefined && Object.keys(params).length > 0) {
      report(file, [...path, "params"], "has no effect beside parameters: write each default there");
    }
    noneTwice(report, file, [...path, "parameters"], parameters, "name");
    noneTwice(report, file, [...path, "parameters"], parameters, "role");
    for (const [at, parameter] of sound(parameters)) checkParameter(parameter, [...path, "parameters", at], report);
    if (template === undefined) continue;
    const { query } = template as { query?: { hybrid?: { queries?: unknown } } };
    const queries = query?.hybrid?.queries;
    if (isHybrid(template) && (!Array.isArray(queries) || queries.length < 1 || queries.length > 5)) {
      const message = "must have query.hybrid.queries, a list of 1 to 5 subqueries";
      report(file, [...path, "search_request_template"], message);
    }
    if (parameters === undefined) {
      const used = parametersOf(template);
      for (const found of foundIn(template)) {
        if (found.kind !== "token" || !isScriptText(found.path)) continue;
        const message = "cannot be in a script: a request can give any value; declare it in parameters";
        report(file, [...path, "search_request_template", ...found.path], message);
      }
      for (const name of Object.keys(params)) {
        if (used.has(name)) continue;
        report(file, [...path, "params", name], `is not used: the template has no "[params.${name}]"`);
      }
    } else if (parameters.every((parameter) => parameter?.name !== undefined)) {
      // Otherwise a declaration is invalid, which is reported already, and its name is not known.
      checkDeclared(template, parameters, path, report);
    }
  }
};

type Declared = Draft<NonNullable<Template["parameters"]>[number]>;

/** The types that a key of a declaration has a meaning for. */
const FOR: readonly [keyof Declared, (type: ParameterType) => boolean][] = [
  ["min", (type) => singleOf(type) === "number"],
  ["max", (type) => singleOf(type) === "number"],
  ["max_length", (type) => singleOf(type) === "string"],
  ["max_items", isList],
  ["role", (type) => type === "text"],
];

function checkParameter(declared: Declared, path: Path, report: Report): void {
  const { type, min, max, values, role } = declared;
  if (type === undefined) return;
  for (const [key, fits] of FOR) {
    if (declared[key] !== undefined && !fits(type)) report(file, [...path, key], `has no effect: the type is ${type}`);
  }
  if (min !== undefined && max !== undefined && min > max) {
    report(file, [...path, "min"], `must be at most max (${max}), got ${min}`);
  }
  if (role && values) report(file, [...path, "values"], "cannot stand beside role: query, which may be any text");
  const { values: _, ...rest } = declared as Parameter;
  for (const [at, value] of sound<unknown>(values)) {
    const issue = singleIssue(rest, value);
    if (issue !== undefined) report(file, [...path, "values", at], issue);
  }
  const issue = declared.default === undefined ? undefined : valueIssue(declared as Parameter, declared.default);
  if (issue !== undefined) report(file, [...path, "default"], issue);
}

function checkDeclared(
  template: Readonly<Record<string, unknown>>,
  parameters: readonly (Declared | undefined)[],
  path: Path,
  report: Report,
): void {
  const used = new Set<unknown>();
  const tokens = new Set<unknown>();
  const declared = new Map(sound(parameters).map(([, parameter]) => [parameter.name, parameter]));
  for (const found of foundIn(template)) {
    const at = [...path, "search_request_template", ...found.path];
    if (found.kind === "mark") {
      used.add(found.value);
      if (typeof found.value === "string" && declared.has(found.value)) continue;
      const names = [...declared.keys()].filter((name) => name !== undefined);
      report(file, at, `must be a parameter of this template: ${joinWords(names) || "it has none"}`);
    } else if (found.kind === "text") {
      report(file, at, `holds "[params.${found.name}]", which is only replaced where it is a whole value`);
    } else if (found.name !== undefined) {
      used.add(found.name);
      tokens.add(found.name);
      const problem = tokenProblem(found, declared.get(found.name));
      if (problem !== undefined) report(file, at, problem);
    }
  }
  for (const [at, { name, role }] of sound(parameters)) {
    if (role && !tokens.has(name)) {
      report(file, [...path, "parameters", at, "role"], `needs a "[params.${name}]" where the text is searched for`);
    }
    if (used.has(name)) continue;
    const message = `is not used: the template has neither "[params.${name}]" nor "when: ${name}"`;
    report(file, [...path, "parameters", at, "name"], message);
  }
}

/** Returns what is wrong with a token in a template that declares its parameters. */
function tokenProblem(
  { name, path }: TemplatePart & { kind: "token" },
  declared: Declared | undefined,
): string | undefined {
  if (!declared) return `is not declared: add ${name} to parameters`;
  const { type, values } = declared;
  if (type === undefined || singleOf(type) !== "string" || values !== undefined || isSearchedFor(path))
    return undefined;
  return `can be any text, which the cluster may read as more than a text here: give the parameter ${name} values`;
}

/** Describes the parameters of a template: their names, what they may be, and when a request must have them. */
export function signature({ search_request_template, params, parameters }: Draft<Template>): string {
  if (parameters === undefined) {
    const optional = new Set(Object.keys(params ?? {}));
    return JSON.stringify(
      [...parametersOf(search_request_template)].toSorted().map((name) => [name, optional.has(name)]),
    );
  }
  const tokens = [...foundIn(search_request_template)].filter((found) => found.kind === "token");
  const declared = sound(parameters).map(([, { default: value, description: _, ...rest }]) => {
    const needs = tokens.filter(({ name, when }) => name === rest.name && !when.includes(rest.name ?? ""));
    const required = value === undefined ? needs.map(({ when }) => when.toSorted().join()) : [];
    return [rest.name, Object.entries(rest).toSorted(), [...new Set(required)].toSorted()];
  });
  return JSON.stringify(declared.toSorted());
}
