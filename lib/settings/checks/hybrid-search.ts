import { pairProblem } from "../../platform/contract/search.ts";
import { isHybrid } from "../../platform/json/template.ts";
import { sum } from "../../platform/sum.ts";
import { MODELS, type ModelName } from "../embedding-models.ts";
import { SUM_TOLERANCE } from "../fusion-settings.ts";
import type { HybridQuery } from "../hybrid-search.ts";
import { namesThereAre } from "../nearest.ts";
import { type Chunking, MAX_TOKENS } from "../passages.ts";
import type { Path } from "../problem.ts";
import { RERANKER } from "../rerank-models.ts";
import { isLocaleOf } from "../synonyms.ts";
import type { Draft } from "../validate.ts";
import { VECTORS } from "../vectors.ts";
import { type Check, noneTwice, type Report, sound } from "./drafts.ts";
import { checkTemplates, signature } from "./templates.ts";

const file = "hybrid_search";

/**
 * Checks that indices and embedding fields are unique, and that their models have a section in model.yaml. Checks
 * templates and experiments.
 */
export const checkHybridSearch: Check = (drafts, report) => {
  checkTemplates(drafts, report);
  checkExperiments(drafts, report);
  const { hybrid_search, model } = drafts;
  const queries = hybrid_search?.hybrid_queries;
  noneTwice(report, file, ["hybrid_queries"], queries, "index", (first) => `: see hybrid_queries[${first}]`);
  for (const [position, entry] of sound(queries)) {
    const { embedding_mappings: mappings } = entry;
    const path = ["hybrid_queries", position, "embedding_mappings"];
    const see = (first: number) => `: see embedding_mappings[${first}] of this index`;
    noneTwice(report, file, path, mappings, "embedding_field", see);
    checkSynonyms(entry, ["hybrid_queries", position, "synonyms"], report);
    if (sound(mappings).some(([, { vectors }]) => vectors === "sparse_vector")) {
      for (const [index, { model_name }] of sound(mappings)) {
        if (!model_name || MODELS[model_name].kind === "sparse") continue;
        const message = `makes dense embeddings, which no index can have beside sparse_vector: use rank_features, or two indexes`;
        report(file, [...path, index, "model_name"], message);
      }
    }
    checkVariety(entry, ["hybrid_queries", position, "variety"], report);
    checkSuggest(entry, ["hybrid_queries", position], report);
    checkRerank(entry, model, ["hybrid_queries", position, "rerank"], report);
    const embeddingFields = sound(mappings).flatMap(([, { embedding_field }]) => embedding_field ?? []);
    for (const [index, { embedding_field: field, model_name, src_fields, vectors, chunking }] of sound(mappings)) {
      checkChunking(chunking, model_name, [...path, index, "chunking"], report);
      const parent = field && embeddingFields.find((other) => field.startsWith(`${other}.`));
      if (parent) {
        const message = `"${field}" would be inside "${parent}", which is an embedding field itself`;
        report(file, [...path, index, "embedding_field"], message);
      }
      if (model !== undefined && model_name !== undefined && !Object.hasOwn(model, model_name)) {
        const message = `names ${model_name}, which has no section in model.yaml: add it there`;
        report(file, [...path, index, "model_name"], message);
      }
      if (vectors && model_name && VECTORS[vectors].of !== MODELS[model_name].kind) {
        const [{ of }, { kind }] = [VECTORS[vectors], MODELS[model_name]];
        report(
          file,
          [...path, index, "vectors"],
          `"${vectors}" stores ${of} embeddings, and ${model_name} makes ${kind} ones`,
        );
      }
      noneTwice(report, file, [...path, index, "src_fields"], src_fields);
      for (const [place, field] of sound(src_fields)) {
        if (!embeddingFields.includes(field)) continue;
        report(file, [...path, index, "src_fields", place], `"${field}" is an embedding field of this index`);
      }
    }
  }
};

/** The longest name of an index for which the names of its suggestions fit into the 255 bytes of a name. */
const MAX_SUGGESTED_NAME = 200;

/** Checks that there is something to suggest, and that one index is meant: suggestions of others must not be shown. */
function checkSuggest({ index, suggest }: Draft<HybridQuery>, path: Path, report: Report): void {
  if (!suggest) return;
  const at = [...path, "suggest"];
  if (!Object.hasOwn(suggest, "titles") && !Object.hasOwn(suggest, "searches")) {
    report(file, at, "suggests nothing: add titles, searches or both");
  }
  if (index?.endsWith("*")) report(file, at, `needs the name of one index, and ${index} stands for several`);
  else if (index && index.length > MAX_SUGGESTED_NAME) {
    report(file, at, `needs an index whose name has at most ${MAX_SUGGESTED_NAME} characters`);
  }
}

/** Models that read 512 tokens, whatever model.yaml says of them. */
const SHORT: readonly (ModelName | undefined)[] = ["sparse_v3", "ext_embed_english_v3", "ext_embed_multilingual_v3"];

/** Checks that passages overlap by no more than half, and that their model reads them whole. */
function checkChunking(
  chunking: Draft<Chunking> | undefined,
  model: ModelName | undefined,
  path: Path,
  report: Report,
): void {
  const { tokens, overlap } = chunking ?? {};
  if (tokens === undefined || overlap === undefined) return;
  if (overlap > tokens / 2) {
    report(file, [...path, "overlap"], `must be at most half of tokens: ${Math.floor(tokens / 2)}`);
  }
  if (tokens > MAX_TOKENS && SHORT.includes(model)) {
    report(
      file,
      [...path, "tokens"],
      `must be at most ${MAX_TOKENS}: ${model} reads 512 tokens, and the number is an estimate`,
    );
  }
}

/** Checks that no file of synonyms is named twice, and that the default locale is that of a file. */
function checkSynonyms({ synonyms }: Draft<HybridQuery>, path: Path, report: Report): void {
  const { files, default_locale: locale } = synonyms ?? {};
  noneTwice(report, file, [...path, "files"], files, "file");
  if (!locale || !files || sound(files).some(([, one]) => isLocaleOf(locale, one.locale))) return;
  report(file, [...path, "default_locale"], `"${locale}" is the locale of no file`);
}

/** Checks that variety compares something, and that what it compares are keywords or dense vectors. */
function checkVariety({ variety, embedding_mappings }: Draft<HybridQuery>, path: Path, report: Report): void {
  if (!variety) return;
  const { groups, similarity } = variety;
  if (!groups && !similarity) report(file, path, "must have groups, similarity, or both");
  const modelOf = (field: string | undefined) =>
    embedding_mappings?.find((mapping) => field !== undefined && mapping?.embedding_field === field)?.model_name;
  if (modelOf(groups?.field)) {
    report(file, [...path, "groups", "field"], `"${groups?.field}" is an embedding field; name a keyword field`);
  }
  const model = modelOf(similarity?.field);
  const isOfPassages = embedding_mappings?.some((one) => one?.chunking && one.embedding_field === similarity?.field);
  if (model && MODELS[model].kind === "dense" && isOfPassages) {
    const message = `"${similarity?.field}" has a vector for each passage, so documents cannot be compared by it; name another field`;
    report(file, [...path, "similarity", "field"], message);
  }
  if (model && MODELS[model].kind !== "dense") {
    const message = `"${similarity?.field}" has ${MODELS[model].kind} embeddings; name a dense or a keyword field`;
    report(file, [...path, "similarity", "field"], message);
  }
}

/** Checks that the reranker of model.yaml has its section, and that what it reads is text, each field once. */
function checkRerank(
  { rerank, embedding_mappings }: Draft<HybridQuery>,
  models: object | undefined,
  path: Path,
  report: Report,
): void {
  if (rerank?.model === RERANKER && models !== undefined && !Object.hasOwn(models, RERANKER)) {
    report(file, [...path, "model"], `names ${RERANKER}, which has no section in model.yaml: add it there`);
  }
  noneTwice(report, file, [...path, "fields"], rerank?.fields);
  for (const [place, field] of sound(rerank?.fields)) {
    if (!embedding_mappings?.some((mapping) => mapping?.embedding_field === field)) continue;
    report(file, [...path, "fields", place], `"${field}" is an embedding field; name a field with text`);
  }
}

/**
 * Checks experiments: names and indexes are unique, shares sum to 1 at most, and variants differ in what a
 * request can get without noticing. Templates of one experiment take the same parameters.
 */
const checkExperiments: Check = ({ hybrid_search }, report) => {
  const experiments = hybrid_search?.experiments;
  for (const key of ["name", "index"] as const) {
    const see = (first: number) => `: see experiments[${first}]`;
    noneTwice(report, "hybrid_search", ["experiments"], experiments, key, see);
  }
  const templates = new Map(sound(hybrid_search?.templates).map(([, template]) => [template.name, template]));
  for (const [position, { kind, variants }] of sound(experiments)) {
    const path = ["experiments", position, "variants"];
    if (kind === "interleave" && variants && variants.length !== 2) {
      report("hybrid_search", path, "must be two in an experiment that interleaves");
    }
    if (kind === "interleave" && sound(variants).some(([, { boost }]) => boost)) {
      report(
        "hybrid_search",
        path,
        "have a boost, which would order the hits of both in an experiment that interleaves",
      );
    }
    noneTwice(report, "hybrid_search", path, variants, "name", (first) => `: see variants[${first}]`);
    const known = sound(variants);
    const shares = Number(sum(known, ([, { share }]) => share ?? 0).toPrecision(12));
    if (shares > 1 + SUM_TOLERANCE) report("hybrid_search", path, `have shares that sum to ${shares}, more than 1`);
    const named = known.filter(([, { template }]) => template !== undefined);
    if (named.length > 0 && named.length < known.length) {
      report("hybrid_search", path, "must all name a template, or none");
    }
    for (const [place, { template, settings }] of known) {
      const at = [...path, place];
      const used = template === undefined ? undefined : templates.get(template);
      if (template !== undefined && !used) {
        report(
          "hybrid_search",
          [...at, "template"],
          `names "${template}", which templates lacks: ${namesThereAre(
            template,
            [...templates.keys()].flatMap((one) => one ?? []),
          )}`,
        );
      } else if (used && !isHybrid(used.search_request_template ?? {})) {
        report("hybrid_search", [...at, "template"], `names "${template}", which is not for hybrid search`);
      }
      const { normalization, combination } = settings ?? {};
      // No cluster serves such a pair, so no search would take part.
      const problem = normalization && combination && pairProblem({ normalization, combination });
      if (problem) report("hybrid_search", [...at, "settings", "combination"], problem);
      const { weights } = settings ?? {};
      if (weights) {
        const subqueries = used && subqueriesOf(used.search_request_template);
        if (subqueries !== undefined && subqueries !== weights.length) {
          const message = `must have ${subqueries} entries, one for each subquery of "${template}"`;
          report("hybrid_search", [...at, "settings", "weights"], message);
        }
      }
      const [, first] = named[0] ?? [];
      const expected = first?.template === undefined ? undefined : templates.get(first.template);
      if (used && expected && signature(used) !== signature(expected)) {
        const message = `"${template}" must take the same parameters as "${first?.template}", with the same ones required`;
        report("hybrid_search", [...at, "template"], message);
      }
    }
  }
};

function subqueriesOf(template: unknown): number | undefined {
  const { query } = (template ?? {}) as { query?: { hybrid?: { queries?: unknown } } };
  const queries = query?.hybrid?.queries;
  return Array.isArray(queries) ? queries.length : undefined;
}
