import { CloudwatchLogGroup } from "@cdktf/provider-aws/lib/cloudwatch-log-group/index.js";
import type { ProjectStack } from "../project-stack.ts";

/** Adds a log group that expires after `aws.log_retention_days`, unless it is given another number of days. */
export function logGroup(
  stack: ProjectStack,
  id: string,
  name: string,
  kmsKeyId: string,
  retentionInDays = stack.logDays,
): CloudwatchLogGroup {
  // checkov:skip=CKV_AWS_338 aws_cloudwatch_log_group: logs are for troubleshooting; what must be kept is in the bucket
  return new CloudwatchLogGroup(stack, id, { name, retentionInDays, kmsKeyId });
}
