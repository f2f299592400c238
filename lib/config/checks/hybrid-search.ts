import { parametersOf } from "../../core/json/template.ts";
import { type Check, sound, uniqueBy } from "./drafts.ts";
import { checkExperiments } from "./experiments.ts";

/** Sums within this of 1 are 1, as in requests. */
const SUM_TOLERANCE = 1e-6;

/**
 * Checks that indices and embedding fields are unique, that weights sum to 1, that their models have a section in
 * model.yaml, and that templates hold a hybrid query. Checks experiments.
 */
export const checkHybridSearch: Check = (drafts, report) => {
  checkTemplates(drafts, report);
  checkExperiments(drafts, report);
  const { hybrid_search, model } = drafts;
  const queries = hybrid_search?.hybrid_queries;
  uniqueBy(
    queries,
    ({ index }) => index,
    (position, index, first) => {
      report(
        "hybrid_search",
        ["hybrid_queries", position, "index"],
        `"${index}" appears twice: see hybrid_queries[${first}]`,
      );
    },
  );
  for (const [position, { settings }] of sound(queries)) {
    const weights = settings?.weights;
    if (weights === undefined || weights.includes(undefined)) continue;
    const sum = weights.reduce<number>((total, weight) => total + (weight ?? 0), 0);
    if (Math.abs(sum - 1) <= SUM_TOLERANCE) continue;
    const message = `must sum to 1; the sum is ${Number(sum.toPrecision(12))}`;
    report("hybrid_search", ["hybrid_queries", position, "settings", "weights"], message);
  }
  for (const [position, { embedding_mappings: mappings }] of sound(queries)) {
    const path = ["hybrid_queries", position, "embedding_mappings"];
    uniqueBy(
      mappings,
      ({ embedding_field }) => embedding_field,
      (index, field, first) => {
        const message = `"${field}" appears twice: see embedding_mappings[${first}] of this index`;
        report("hybrid_search", [...path, index, "embedding_field"], message);
      },
    );
    const embeddingFields = sound(mappings).flatMap(([, { embedding_field }]) => embedding_field ?? []);
    for (const [index, { embedding_field: field, model_name, src_fields }] of sound(mappings)) {
      const parent = field && embeddingFields.find((other) => field.startsWith(`${other}.`));
      if (parent) {
        const message = `"${field}" would be inside "${parent}", which is an embedding field itself`;
        report("hybrid_search", [...path, index, "embedding_field"], message);
      }
      if (model !== undefined && model_name !== undefined && !Object.hasOwn(model, model_name)) {
        const message = `names ${model_name}, which has no section in model.yaml: add it there`;
        report("hybrid_search", [...path, index, "model_name"], message);
      }
      uniqueBy(
        src_fields,
        (field) => field,
        (place, field) => report("hybrid_search", [...path, index, "src_fields", place], `"${field}" appears twice`),
      );
      for (const [place, field] of sound(src_fields)) {
        if (!field || !embeddingFields.includes(field)) continue;
        report(
          "hybrid_search",
          [...path, index, "src_fields", place],
          `"${field}" is an embedding field of this index`,
        );
      }
    }
  }
};

const checkTemplates: Check = ({ hybrid_search }, report) => {
  const templates = hybrid_search?.templates;
  uniqueBy(
    templates,
    ({ name }) => name,
    (position, name, first) =>
      report("hybrid_search", ["templates", position, "name"], `"${name}" appears twice: see templates[${first}]`),
  );
  for (const [position, { search_request_template: template, params = {} }] of sound(templates)) {
    if (template === undefined) continue;
    const path = ["templates", position];
    const { query } = template as { query?: { hybrid?: { queries?: unknown } } };
    const queries = query?.hybrid?.queries;
    if (!Array.isArray(queries) || queries.length < 1 || queries.length > 5) {
      const message = "must have query.hybrid.queries, a list of 1 to 5 subqueries";
      report("hybrid_search", [...path, "search_request_template"], message);
    }
    const used = parametersOf(template);
    for (const name of Object.keys(params)) {
      if (used.has(name)) continue;
      report("hybrid_search", [...path, "params", name], `is not used: the template has no "[params.${name}]"`);
    }
  }
};
