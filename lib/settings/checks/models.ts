import { ENDPOINT_MODELS } from "../embedding-models.ts";
import type { Models } from "../model.ts";
import { type Protocol, protocolProblems } from "../model-protocol.ts";
import { bedrockIds } from "../names.ts";
import type { Path } from "../problem.ts";
import { RERANKER } from "../rerank-models.ts";
import type { Draft } from "../validate.ts";
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
  for (const [part, path] of [
    [model, []],
    [model?.previous, ["previous"]],
  ] as const) {
    checkDescribed(part?.dense_large_en_v1_5, [...path, "dense_large_en_v1_5"], report);
    checkBedrock(part?.ext_embed_bedrock, [...path, "ext_embed_bedrock"], report);
  }
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

type Described = NonNullable<Draft<Models>["dense_large_en_v1_5"]>;
type OnBedrock = NonNullable<Draft<Models>["ext_embed_bedrock"]>;

/** Models of Bedrock whose requests and answers the gateway knows. */
const KNOWN = bedrockIds(/(cohere\.embed-|amazon\.titan-embed-(g1-)?text-)/);

/** Checks the description of an existing endpoint that another model server than ours answers. */
function checkDescribed(section: Described | undefined, path: Path, report: Report): void {
  if (!section?.protocol) return;
  checkProtocol(section.protocol, path, report);
  if (!Object.hasOwn(section, "endpoint_name")) {
    report("model", [...path, "protocol"], "is for an existing endpoint: set endpoint_name, or remove it");
  }
  if (!Object.hasOwn(section, "dimension")) {
    report("model", [...path, "dimension"], "is missing: the dimension of a model with a protocol is not known");
  }
}

function checkBedrock(section: OnBedrock | undefined, path: Path, report: Report): void {
  if (section?.protocol) checkProtocol(section.protocol, path, report);
  // An invalid one is there, but undefined.
  if (!section || Object.hasOwn(section, "protocol")) return;
  if (section.model_id === undefined || KNOWN.test(section.model_id)) return;
  const message = `is missing: the gateway does not know the requests of ${section.model_id}`;
  report("model", [...path, "protocol"], message);
}

function checkProtocol(protocol: NonNullable<Described["protocol"]>, path: Path, report: Report): void {
  for (const { key, message } of protocolProblems(protocol as Partial<Protocol>)) {
    report("model", [...path, "protocol", key], message);
  }
}

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
