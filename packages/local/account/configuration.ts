import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import { loadConfiguration } from "@relevance/lib/settings/load.ts";
import { ConfigurationError, formatPath, type Path, type Problem } from "@relevance/lib/settings/problem.ts";
import { RERANKER } from "@relevance/lib/settings/rerank-models.ts";
import { ACCOUNT_ID } from "@relevance/local-aws/cloud/account.ts";
import type { SeededAccount } from "@relevance/local-aws/cloud/seed.ts";
import { type Document, parseDocument } from "yaml";

/** Local resources that replace those named in a configuration. */
export interface LocalResources {
  account: Pick<SeededAccount, "vpcId" | "subnetIds" | "securityGroupId" | "openSearchDomain">;
  /** The URL of the cluster. */
  cluster: string;
  region: string;
  /** Names of the existing campaigns. */
  campaigns: readonly string[];
}

/** Placeholder resources for an account that is not running yet. */
export const SAMPLE_RESOURCES: LocalResources = {
  account: {
    vpcId: "vpc-0a1b2c3d4e5f67890",
    subnetIds: ["subnet-0a1b2c3d4e5f67890"],
    securityGroupId: "sg-0a1b2c3d4e5f67890",
    openSearchDomain: "local",
  },
  cluster: "http://127.0.0.1:9200",
  region: "eu-west-1",
  campaigns: [],
};

/** A configuration for the local account, and the keys whose values were replaced or left out, as `file key`. */
export interface LocalConfiguration {
  config: Configuration;
  replaced: string[];
}

/**
 * Reads a configuration folder in a form that can be deployed to the local account: names of AWS resources are replaced
 * by local ones, and settings without a local counterpart are removed. The files stay unchanged. Throws
 * ConfigurationError.
 */
export function localConfiguration(conf: string, resources: LocalResources): LocalConfiguration {
  const replaced = new Set<string>();
  const change = (name: string, text: string) => {
    const document = parseDocument(text);
    // The configuration reader reports YAML errors.
    if (document.errors.length > 0) return text;
    const changes = CHANGES[name]?.(document, resources) ?? [];
    for (const [path, value] of changes) {
      if (value === undefined) document.deleteIn(path);
      else document.setIn(path, value);
      replaced.add(`${name} ${formatPath(path)}`);
    }
    return changes.length === 0 ? text : document.toString();
  };
  try {
    return { config: loadConfiguration(conf, change), replaced: [...replaced] };
  } catch (error) {
    throw error instanceof ConfigurationError ? new ConfigurationError(asWritten(conf, error.problems)) : error;
  }
}

/** Returns the problems with line numbers of the user's own files. */
function asWritten(conf: string, problems: readonly Problem[]): readonly Problem[] {
  try {
    loadConfiguration(conf);
    return problems;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const own = error.problems;
    const same = (a: Problem, b: Problem) => a.file === b.file && a.path === b.path && a.message === b.message;
    return problems.map((problem) => own.find((one) => same(one, problem)) ?? problem);
  }
}

type Change = readonly [path: Path, value: unknown];

/** Returns the changes whose paths exist in a document. */
const present = (document: Document, changes: readonly Change[]): Change[] =>
  changes.filter(([path]) => document.hasIn(path));

const without = (...paths: string[]): Change[] => paths.map((path) => [path.split("."), undefined]);

const CHANGES: Readonly<Record<string, (document: Document, resources: LocalResources) => Change[]>> = {
  "project.yaml": (document, { account, cluster }) =>
    present(document, [
      ...without("aws.account_id", "aws.permissions_boundary_arn", "aws.kms_key_arn", "terraform", "alarms.topics"),
      [["vpc", "vpc_id"], account.vpcId],
      [["vpc", "subnet_ids"], account.subnetIds],
      [["vpc", "domain_security_group_id"], account.securityGroupId],
      [["opensearch", "domain"], cluster],
      [["opensearch", "domain_name"], account.openSearchDomain],
      ...without("opensearch.auth"),
    ]),

  "api.yaml": (document, resources) =>
    present(document, [
      [["domain_name_system"], null],
      ...without("recommendation_domain_name", "execute_api_url", "private_api", "waf_web_acl_arn"),
      ...without("authorization", "lambda_authorizer"),
      ...indexes(document, ["keys"]).map((index): Change => [["keys", index, "principals"], undefined]),
      ...campaign(document, resources),
    ]),

  "model.yaml": (document) => {
    const sections = [...keysOf(document, []), ...keysOf(document, ["previous"]).map((key) => ["previous", ...key])];
    const paths = sections.flatMap((section) => [section, [...section, "documents"]]);
    return paths.flatMap((path) => {
      const named = document.hasIn([...path, "endpoint_name"]);
      // A local endpoint needs a size like any other. The stand-in ignores it.
      const size: Change[] = [
        [[...path, "initial_instance_count"], 1],
        [[...path, "instance_type"], "ml.c6i.2xlarge"],
      ];
      return [
        ...present(document, [
          [[...path, "endpoint_name"], undefined],
          [[...path, "vpc_config"], undefined],
        ]),
        ...(named ? size : []),
        ...(named && path[0] === RERANKER ? RERANKED : []),
      ];
    });
  },
};

/** Settings that a deployed reranker requires. The stand-in ignores both. */
const RERANKED: readonly Change[] = [
  [[RERANKER, "model_id"], "local/stand-in"],
  [[RERANKER, "revision"], "1"],
];

/**
 * Sets the campaign that ranks searches, and its filter, to those of the local account, once a training has created the
 * campaign.
 */
function campaign(document: Document, { region, campaigns }: LocalResources): Change[] {
  const arn = (member: string) => String(document.getIn(["personalized_ranking", member]) ?? "");
  if (!campaigns.includes(arn("campaign_arn").replace(/^.*\//, ""))) return [[["personalized_ranking"], undefined]];
  return ["campaign_arn", "filter_arn"]
    .filter((member) => arn(member) !== "")
    .map((member) => [
      ["personalized_ranking", member],
      arn(member).replace(/^.*:/, `arn:aws:personalize:${region}:${ACCOUNT_ID}:`),
    ]);
}

function keysOf(document: Document, path: Path): string[][] {
  const value = valueAt(document, path);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.keys(value).map((key) => [key])
    : [];
}

function indexes(document: Document, path: Path): number[] {
  const value = valueAt(document, path);
  return Array.isArray(value) ? [...value.keys()] : [];
}

const valueAt = (document: Document, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], document.toJS());
