import { parametersOf } from "../../core/json/template.ts";
import { type Check, noneTwice, sound } from "./drafts.ts";
import { checkExperiments, checkWeights } from "./experiments.ts";

const file = "hybrid_search";

/**
 * Checks that indices and embedding fields are unique, that weights sum to 1, that their models have a section in
 * model.yaml, and that templates hold a hybrid query. Checks experiments.
 */
export const checkHybridSearch: Check = (drafts, report) => {
  checkTemplates(drafts, report);
  checkExperiments(drafts, report);
  const { hybrid_search, model } = drafts;
  const queries = hybrid_search?.hybrid_queries;
  noneTwice(report, file, ["hybrid_queries"], queries, "index", (first) => `: see hybrid_queries[${first}]`);
  for (const [position, { settings, embedding_mappings: mappings }] of sound(queries)) {
    checkWeights(settings?.weights, ["hybrid_queries", position, "settings", "weights"], report);
    const path = ["hybrid_queries", position, "embedding_mappings"];
    const see = (first: number) => `: see embedding_mappings[${first}] of this index`;
    noneTwice(report, file, path, mappings, "embedding_field", see);
    const embeddingFields = sound(mappings).flatMap(([, { embedding_field }]) => embedding_field ?? []);
    for (const [index, { embedding_field: field, model_name, src_fields }] of sound(mappings)) {
      const parent = field && embeddingFields.find((other) => field.startsWith(`${other}.`));
      if (parent) {
        const message = `"${field}" would be inside "${parent}", which is an embedding field itself`;
        report(file, [...path, index, "embedding_field"], message);
      }
      if (model !== undefined && model_name !== undefined && !Object.hasOwn(model, model_name)) {
        const message = `names ${model_name}, which has no section in model.yaml: add it there`;
        report(file, [...path, index, "model_name"], message);
      }
      noneTwice(report, file, [...path, index, "src_fields"], src_fields);
      for (const [place, field] of sound(src_fields)) {
        if (!embeddingFields.includes(field)) continue;
        report(file, [...path, index, "src_fields", place], `"${field}" is an embedding field of this index`);
      }
    }
  }
};

const checkTemplates: Check = ({ hybrid_search }, report) => {
  const templates = hybrid_search?.templates;
  noneTwice(report, file, ["templates"], templates, "name", (first) => `: see templates[${first}]`);
  for (const [position, { search_request_template: template, params = {} }] of sound(templates)) {
    if (template === undefined) continue;
    const path = ["templates", position];
    const { query } = template as { query?: { hybrid?: { queries?: unknown } } };
    const queries = query?.hybrid?.queries;
    if (!Array.isArray(queries) || queries.length < 1 || queries.length > 5) {
      const message = "must have query.hybrid.queries, a list of 1 to 5 subqueries";
      report(file, [...path, "search_request_template"], message);
    }
    const used = parametersOf(template);
    for (const name of Object.keys(params)) {
      if (used.has(name)) continue;
      report(file, [...path, "params", name], `is not used: the template has no "[params.${name}]"`);
    }
  }
};
