import { ENDPOINT_MODELS } from "../embedding-models.ts";
import type { Path } from "../problem.ts";
import { RERANKER } from "../rerank-models.ts";
import type { Check, Report } from "./drafts.ts";

/** Keys that describe an endpoint of the project's own. */
const OF_OWN_ENDPOINT = [
  "initial_instance_count",
  "instance_type",
  "max_instance_count",
  "target_concurrency",
  "model_id",
  "model_data",
  "vpc_config",
];

/**
 * Checks that a model has either an existing endpoint or what the project needs to deploy one, that it is known which
 * files a model of the user's own has, and that previous models differ from the present ones.
 */
export const checkModels: Check = ({ model }, report) => {
  for (const name of ENDPOINT_MODELS) {
    checkEndpoint(model?.[name], [name], report);
    checkFiles(model?.[name], [name], report);
  }
  checkEndpoint(model?.reranker, [RERANKER], report);
  checkReranker(model?.reranker, report);
  const { documents, endpoint_name } = model?.dense_large_en_v1_5 ?? {};
  const path = ["dense_large_en_v1_5", "documents"];
  checkEndpoint(documents, path, report);
  if (documents && endpoint_name !== undefined && !Object.hasOwn(documents, "endpoint_name")) {
    const message = "is missing: the project does not know which model the existing endpoint for queries has";
    report("model", [...path, "endpoint_name"], message);
  }
  const before = model?.previous?.dense_large_en_v1_5;
  checkEndpoint(before, ["previous", "dense_large_en_v1_5"], report);
  checkFiles(before, ["previous", "dense_large_en_v1_5"], report);
  for (const [name, vectors] of VECTORS) {
    const [is, was] = [model?.[name], model?.previous?.[name]];
    if (!is || !was || vectors.some((key) => keyOf(is, key) !== keyOf(was, key))) continue;
    report("model", ["previous", name], `makes the same vectors as ${name}: remove it, or change the present one`);
  }
};

/** The keys that tell the vectors of a model from those of another one. */
const VECTORS = [
  ["dense_large_en_v1_5", ["model_id", "revision", "endpoint_name", "model_data"]],
  ["ext_embed_english_v3", []],
  ["ext_embed_multilingual_v3", []],
  ["ext_embed_bedrock", ["model_id"]],
] as const;

const keyOf = (section: object, key: string) => (section as Record<string, unknown>)[key];

function checkEndpoint(section: object | undefined, path: Path, report: Report): void {
  if (!section) return;
  const has = (key: string) => Object.hasOwn(section, key);
  if (has("endpoint_name")) {
    for (const key of OF_OWN_ENDPOINT.filter(has)) {
      const message = "has no effect on the existing endpoint that endpoint_name names: remove one of the two";
      report("model", [...path, key], message);
    }
    return;
  }
  for (const key of ["initial_instance_count", "instance_type"].filter((key) => !has(key))) {
    const message = "is missing: the project's endpoint needs it. For an existing endpoint, set endpoint_name instead";
    report("model", [...path, key], message);
  }
}

function checkFiles(section: object | undefined, path: Path, report: Report): void {
  const has = (key: string) => section !== undefined && Object.hasOwn(section, key);
  if (!has("model_id") || has("endpoint_name")) return;
  if (!has("dimension")) {
    report("model", [...path, "dimension"], "is missing: model_id names a model whose dimension is not known");
  }
  if (!has("revision") && !has("model_data")) {
    const message =
      "is missing: without it, or model_data, a new instance could download other files than those that embedded the stored documents";
    report("model", [...path, "revision"], message);
  }
}

/** Checks that it is known which files a reranker has. None is built in. */
function checkReranker(section: object | undefined, report: Report): void {
  const has = (key: string) => section !== undefined && Object.hasOwn(section, key);
  if (!section || has("endpoint_name") || has("model_data")) return;
  if (!has("model_id")) {
    report(
      "model",
      [RERANKER, "model_id"],
      "is missing: it names the model, unless model_data or endpoint_name is set",
    );
  } else if (!has("revision")) {
    const message =
      "is missing: without it, or model_data, a new instance could download another model than the others have";
    report("model", [RERANKER, "revision"], message);
  }
}
