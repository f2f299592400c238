import { partitionOf } from "../../core/naming/names.ts";
import type { Path } from "../problem.ts";
import type { Check, FileKey } from "./drafts.ts";

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
  // Another account may share a secret. API Gateway and Personalize only accept resources of their own account.
  check("project", ["opensearch", "auth", "master_user_secret_arn"], secret, false);
  check("project", ["aws", "kms_key_arn"], project?.aws?.kms_key_arn, false);
  for (const severity of ["critical", "warning"] as const) {
    check("project", ["alarms", "topics", severity], project?.alarms?.topics?.[severity], false);
  }
  check("api", ["domain_name_system", "certificate_arn"], api?.domain_name_system?.certificate_arn, true);
  const host = api?.recommendation_domain_name;
  check("api", ["recommendation_domain_name", "certificate_arn"], host?.certificate_arn, true);
  const authorizer = api?.lambda_authorizer;
  check("api", ["lambda_authorizer", "function_arn"], authorizer?.function_arn, true);
  check("api", ["waf_web_acl_arn"], api?.waf_web_acl_arn, true);
  check("api", ["personalized_ranking", "campaign_arn"], api?.personalized_ranking?.campaign_arn, true);

  const domainRegion = /\.([a-z]{2}(?:-[a-z]+)+-\d)\.es\.amazonaws\.com/.exec(project?.opensearch?.domain ?? "")?.[1];
  if (region !== undefined && domainRegion !== undefined && domainRegion !== region) {
    report("project", ["opensearch", "domain"], `is in region ${domainRegion}, but aws.region_name is ${region}`);
  }
};
