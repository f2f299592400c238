import { endpointsThat } from "../../platform/http/access.ts";
import { singleOf } from "../../platform/json/parameters.ts";
import { isHybrid, parametersOf } from "../../platform/json/template.ts";
import type { KeyConfig } from "../access.ts";
import type { HybridSearch, Template } from "../hybrid-search.ts";
import { namesThereAre } from "../nearest.ts";
import type { Path } from "../problem.ts";
import { showsField } from "../shown-fields.ts";
import { foundIn, isInScript, isSearchedFor, type TemplatePart } from "../template-tokens.ts";
import type { Draft } from "../validate.ts";
import { type Check, noneTwice, type Report, sound } from "./drafts.ts";

/** Endpoints where a key could send a body of its own. */
const OWN_BODIES: readonly string[] = endpointsThat(({ takesOwnBodies }) => takesOwnBodies);

/** Checks that the rights of each key go together. */
export const checkKeyRights: Check = ({ api }, report) => {
  for (const [index, { indexes, raw_backend: calls, templates }] of sound(api?.keys)) {
    if (indexes === undefined || templates !== undefined) continue;
    const path = ["keys", index, "raw_backend"];
    const reason = "reaches indexes that are not in indexes: remove one of the two";
    if (calls === "all") report("api", path, reason);
    if (!Array.isArray(calls)) continue;
    for (const [at, call] of sound<string>(calls)) if (call !== "recommended") report("api", [...path, at], reason);
  }
};

/**
 * Checks that a key with `templates` can send nothing else, and that whatever the values of its templates are, they are
 * nothing but values and numbers in a range.
 */
export const checkTemplateKeys: Check = ({ api, hybrid_search }, report) => {
  const templates = new Map(sound(hybrid_search?.templates).map(([at, template]) => [template.name, { at, template }]));
  const used = new Map<string, string>();
  for (const [index, key] of sound(api?.keys)) {
    if (key.templates === undefined) continue;
    const path = ["keys", index];
    checkKey(key, path, report);
    noneTwice(report, "api", [...path, "templates"], key.templates);
    if (hybrid_search === undefined) continue;
    for (const [at, name] of sound(key.templates)) {
      const found = templates.get(name);
      const problem = found
        ? templateProblem(found.template, key)
        : `is not in templates of hybrid_search.yaml: ${namesThereAre(
            name,
            [...templates.keys()].flatMap((one) => one ?? []),
          )}`;
      if (problem !== undefined) report("api", [...path, "templates", at], `"${name}" ${problem}`);
      if (found && !used.has(name)) used.set(name, key.name ?? "");
      for (const [, entry] of sound(hybrid_search.hybrid_queries)) {
        const hidden = found && rankedUnseen(found.template, entry, key);
        if (!hidden) continue;
        const message = `"${name}" does not show ${hidden}, by which hits of ${entry.index} are reranked: their order would tell what it holds. Show it, or set by_default: false`;
        report("api", [...path, "templates", at], message);
      }
      for (const [, experiment] of sound(hybrid_search.experiments)) {
        const variants = sound(experiment.variants).flatMap(([, variant]) => variant.template ?? []);
        const other = variants.includes(name) && variants.find((variant) => !key.templates?.includes(variant));
        if (!other) continue;
        const message = `"${name}" can become "${other}" by the experiment ${experiment.name}: add it here`;
        report("api", [...path, "templates", at], message);
      }
    }
  }
  for (const [name, key] of used) {
    const found = templates.get(name);
    if (found) checkTokens(found.template, ["templates", found.at, "search_request_template"], key, report);
  }
};

function checkKey(key: Draft<KeyConfig>, path: Path, report: Report): void {
  for (const [at, endpoint] of sound(key.endpoints)) {
    if (!OWN_BODIES.includes(endpoint)) continue;
    report("api", [...path, "endpoints", at], `"${endpoint}" takes more than templates: remove one of the two`);
  }
  for (const right of ["raw_backend", "scripts"] as const) {
    if (key[right] !== undefined) report("api", [...path, right], "has no effect: the key may only send templates");
  }
  if (!Object.hasOwn(key, "indexes")) {
    report("api", [...path, "indexes"], "is missing: the templates of this key would search every index");
  }
}

/** Returns why a key cannot use a template. */
function templateProblem(
  { search_request_template: template, parameters }: Draft<Template>,
  { endpoints }: Draft<KeyConfig>,
): string | undefined {
  if (template === undefined) return undefined;
  if (parameters === undefined && parametersOf(template).size > 0) {
    return "has parameters that are not declared: list them in parameters of the template";
  }
  const endpoint = isHybrid(template) ? "hybrid-search" : "search";
  return endpoints?.includes(endpoint) === false ? `needs the endpoint ${endpoint}` : undefined;
}

/** Returns a field that decides the order of a template's hits, and that they do not show; undefined if there is none. */
function rankedUnseen(
  { search_request_template: native }: Draft<Template>,
  { index = "", rerank }: Draft<HybridSearch["hybrid_queries"][number]>,
  { indexes }: Draft<KeyConfig>,
): string | undefined {
  const isSearched = sound(indexes).some(([, granted]) => overlap(granted, index));
  if (!rerank || rerank.by_default === false || !native || !isSearched) return undefined;
  return sound(rerank.fields).find(([, field]) => !showsField(native, field))?.[1];
}

/** Returns whether two names, or beginnings of names followed by `*`, have a name in common. */
const overlap = (one: string, other: string): boolean => one === other || begins(one, other) || begins(other, one);

const begins = (pattern: string, name: string): boolean =>
  pattern.endsWith("*") && name.startsWith(pattern.slice(0, -1));

/** Checks where the values of a template go that a key with `templates` may use. */
function checkTokens(
  { search_request_template, parameters }: Draft<Template>,
  path: Path,
  key: string,
  report: Report,
) {
  const declared = new Map(sound(parameters).map(([, parameter]) => [parameter.name, parameter]));
  for (const found of foundIn(search_request_template)) {
    const problem = found.kind === "token" ? tokenProblem(found, declared.get(found.name)) : undefined;
    if (problem !== undefined)
      report("hybrid_search", [...path, ...found.path], `${problem}: the key ${key} may use it`);
  }
}

type Declared = Draft<NonNullable<Template["parameters"]>[number]>;

function tokenProblem(
  { name, path }: TemplatePart & { kind: "token" },
  declared: Declared | undefined,
): string | undefined {
  if (isInScript(path)) return "cannot be in a script";
  if (isSearchedFor(path)) return undefined;
  if (name === undefined) return "can be any text, which the cluster may read as more than a text here";
  if (declared?.type === undefined || singleOf(declared.type) !== "number" || declared.values) return undefined;
  const { min, max } = declared;
  return min === undefined || max === undefined ? `needs min and max in the parameter ${name}` : undefined;
}
