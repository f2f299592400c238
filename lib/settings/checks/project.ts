import { partitionOf } from "../../platform/naming/partitions.ts";
import { ALARMS, SEVERITIES } from "../alarms.ts";
import { joinWords } from "../kinds.ts";
import { namesThereAre, nearest } from "../nearest.ts";
import type { Path } from "../problem.ts";
import type { Check, Drafts, FileKey, Report } from "./drafts.ts";

/**
 * The services that project.yaml is meant to enable. One of the gateway's two keys is enough; `checkServices` reports
 * the other as missing.
 */
interface Services {
  searchGateway: boolean;
  recommendation: boolean;
}

/** Returns the services that the keys of project.yaml request, regardless of their values. */
export function servicesOf(project: Drafts["project"]): Services {
  const has = (key: string) => project !== undefined && Object.hasOwn(project, key);
  return { searchGateway: has("vpc") || has("opensearch"), recommendation: has("personalize") };
}

/** Checks that at least one service is enabled, and that the search gateway has all its keys. */
export const checkServices: Check = ({ project, api }, report) => {
  if (project === undefined) return;
  const { searchGateway, recommendation } = servicesOf(project);
  if (!searchGateway && !recommendation) {
    const gateway = `${joinWords(["vpc", "opensearch"], "and")} enable the search gateway`;
    report("project", [], `enables no service: ${gateway}, "personalize" the recommendation service`);
  }
  if (!searchGateway) return;
  for (const [missing, present] of [
    ["vpc", "opensearch"],
    ["opensearch", "vpc"],
  ] as const) {
    if (Object.hasOwn(project, missing)) continue;
    report("project", [missing], `is missing: the search gateway needs it beside ${present}`);
  }
  if (api !== undefined && !Object.hasOwn(api, "domain_name_system")) {
    const message = "is missing: the search gateway needs it (null leaves the API at its execute-api URL)";
    report("api", ["domain_name_system"], message);
  }
};

/**
 * Checks that ARNs and the cluster's address are in the project's region, and that what API Gateway
 * and Personalize use is in its account.
 */
export const checkArns: Check = ({ project, api }, report) => {
  const region = project?.aws?.region_name;
  const account = project?.aws?.account_id;
  const auth = project?.opensearch?.auth;
  const secret = auth?.type === "basic" ? auth.master_user_secret_arn : undefined;

  const check = (file: FileKey, path: Path, arn: string | undefined, sameAccount: boolean) => {
    if (arn === undefined) return;
    const [, partition, , arnRegion, arnAccount] = arn.split(":");
    if (region !== undefined && arnRegion !== region) {
      report(file, path, `is in region ${arnRegion}, but aws.region_name is ${region}`);
    } else if (region !== undefined && partition !== partitionOf(region)) {
      report(file, path, `is in partition ${partition}, but region ${region} is in partition ${partitionOf(region)}`);
    } else if (sameAccount && account !== undefined && arnAccount !== account) {
      report(file, path, `belongs to account ${arnAccount}, but aws.account_id is ${account}`);
    }
  };
  const state = project?.terraform?.state;
  if (state?.type === "s3" && state.kms_key_id !== undefined) {
    const keyRegion = state.kms_key_id.split(":")[3];
    if (state.region !== undefined && keyRegion !== state.region) {
      report(
        "project",
        ["terraform", "state", "kms_key_id"],
        `is in region ${keyRegion}, but the bucket is in ${state.region}`,
      );
    }
  }
  // Another account may share a secret. API Gateway and Personalize only accept resources of their own account.
  check("project", ["opensearch", "auth", "master_user_secret_arn"], secret, false);
  check("project", ["aws", "kms_key_arn"], project?.aws?.kms_key_arn, false);
  for (const severity of SEVERITIES) {
    check("project", ["alarms", "topics", severity], project?.alarms?.topics?.[severity], false);
  }
  check("api", ["domain_name_system", "certificate_arn"], api?.domain_name_system?.certificate_arn, true);
  const host = api?.recommendation_domain_name;
  check("api", ["recommendation_domain_name", "certificate_arn"], host?.certificate_arn, true);
  const authorizer = api?.lambda_authorizer;
  check("api", ["lambda_authorizer", "function_arn"], authorizer?.function_arn, true);
  check("api", ["waf_web_acl_arn"], api?.waf_web_acl_arn, true);
  const ranking = api?.personalized_ranking;
  check("api", ["personalized_ranking", "campaign_arn"], ranking?.campaign_arn, true);
  check("api", ["personalized_ranking", "filter_arn"], ranking?.filter_arn, true);
  if (ranking?.filter_arn !== undefined && ranking.campaign_arn === undefined)
    report("api", ["personalized_ranking", "filter_arn"], "needs campaign_arn, the campaign that ranks");

  if (/\.aoss\.[a-z0-9.]+$/.test(project?.opensearch?.domain ?? "")) {
    const message =
      "is a collection of OpenSearch Serverless, which lacks calls that the gateway needs: name a domain (docs/decisions/0067)";
    report("project", ["opensearch", "domain"], message);
  }
  const domainRegion = /\.([a-z]{2}(?:-[a-z]+)+-\d)\.es\.(?:amazonaws\.com|s?c2s\.)/.exec(
    project?.opensearch?.domain ?? "",
  )?.[1];
  if (region !== undefined && domainRegion !== undefined && domainRegion !== region) {
    report("project", ["opensearch", "domain"], `is in region ${domainRegion}, but aws.region_name is ${region}`);
  }
};

/**
 * Regions with Personalize. Sources: AWS General Reference, "Amazon Personalize endpoints and quotas"; endpoints.json of
 * botocore 1.44.5, November 2026.
 */
const PERSONALIZE_REGIONS = [
  ...["ap-northeast-1", "ap-northeast-2", "ap-south-1", "ap-southeast-1", "ap-southeast-2", "ca-central-1"],
  ...["cn-north-1", "eu-central-1", "eu-west-1", "us-east-1", "us-east-2", "us-west-2"],
];

/** Checks that the region has Personalize if the configuration needs it. */
export const checkRegion: Check = ({ project, api }, report) => {
  const region = project?.aws?.region_name;
  if (region === undefined || PERSONALIZE_REGIONS.includes(region)) return;
  const without = `${region} has no Personalize, which is in other regions: ${namesThereAre(region, PERSONALIZE_REGIONS)}`;
  if (servicesOf(project).recommendation) {
    report("project", ["personalize"], `needs another aws.region_name, or no recommendation service: ${without}`);
  } else if (api?.personalized_ranking?.campaign_arn !== undefined) {
    report("api", ["personalized_ranking", "campaign_arn"], `needs another aws.region_name: ${without}`);
  }
};

/** Checks that the AWS provider accepts the runtime: `nodejs24.x` is known from 6.19 on. */
export const checkRuntime: Check = ({ project }, report) => {
  if (project?.aws?.lambda_runtime !== "nodejs24.x" || project.terraform?.provider === 6) return;
  report("project", ["aws", "lambda_runtime"], "nodejs24.x needs terraform.provider: 6 (docs/guides/platform.md)");
};

/** Checks that no minimum exceeds its maximum. */
export const checkCapacity: Check = ({ project, api, model }, report) => {
  const scaling = project?.opensearch?.auto_scaling;
  const scalingPath = ["opensearch", "auto_scaling"];
  atMost(report, "project", scalingPath, scaling, "min_instance_count", "max_instance_count");
  const down = scaling?.scale_down_cpu_util_threshold;
  const up = scaling?.scale_up_cpu_util_threshold;
  if (down !== undefined && up !== undefined && down >= up) {
    const message = `must be below scale_up_cpu_util_threshold (${up}), got ${down}`;
    report("project", [...scalingPath, "scale_down_cpu_util_threshold"], message);
  }

  for (const name of ["api_router", "log_handler", "recommendation_api"] as const) {
    const concurrency = api?.provisioned_concurrency?.[name];
    const path = ["provisioned_concurrency", name];
    atMost(report, "api", path, concurrency, "min_capacity", "max_capacity");
    // Lambda rejects provisioned concurrency above the reserved concurrency.
    const reserved = name === "log_handler" ? undefined : api?.reserved_concurrency?.[name];
    const most = `reserved_concurrency.${name}`;
    atMost(report, "api", path, { max_capacity: concurrency?.max_capacity, [most]: reserved }, "max_capacity", most);
  }

  const { dense_large_en_v1_5: dense, sparse_v3: sparse, previous } = model ?? {};
  for (const [path, section] of [
    [["dense_large_en_v1_5"], dense],
    [["dense_large_en_v1_5", "documents"], dense?.documents],
    [["sparse_v3"], sparse],
    [["previous", "dense_large_en_v1_5"], previous?.dense_large_en_v1_5],
  ] as const) {
    atMost(report, "model", path, section, "initial_instance_count", "max_instance_count");
  }
};

/** Reports a minimum of a section that exceeds its maximum. `low` and `high` are their keys. */
function atMost<Key extends string>(
  report: Report,
  file: FileKey,
  path: Path,
  section: { readonly [key in Key]?: number | undefined } | undefined,
  low: Key,
  high: Key,
): void {
  const [min, max] = [section?.[low], section?.[high]];
  if (min === undefined || max === undefined || min <= max) return;
  report(file, [...path, low], `must be at most ${high} (${max}), got ${min}`);
}

/** Checks that `alarms.rules` names existing alarms. */
export const checkAlarms: Check = ({ project }, report) => {
  for (const name of Object.keys(project?.alarms?.rules ?? {})) {
    if (Object.hasOwn(ALARMS, name)) continue;
    const close = nearest(name, Object.keys(ALARMS));
    const advice = close === undefined ? "docs/reference/alarms.md lists them" : `did you mean "${close}"?`;
    report("project", ["alarms", "rules", name], `is not an alarm: ${advice}`);
  }
};

/** Checks that events are kept longer than training reads back. */
export const checkRetention: Check = ({ project }, report) => {
  const kept = project?.personalize?.event_retention_days;
  const read = project?.personalize?.log_lookback_days;
  if (kept === undefined || read === undefined || kept > read) return;
  const message = `must be more than log_lookback_days (${read}), got ${kept}: training reads events that old`;
  report("project", ["personalize", "event_retention_days"], message);
};
