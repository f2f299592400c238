import { CloudwatchLogGroup } from "@cdktf/provider-aws/lib/cloudwatch-log-group/index.js";
import { CloudwatchLogStream } from "@cdktf/provider-aws/lib/cloudwatch-log-stream/index.js";
import { KinesisFirehoseDeliveryStream } from "@cdktf/provider-aws/lib/kinesis-firehose-delivery-stream/index.js";
import { writeLogs } from "../../lib/aws/iam-statement.ts";
import type { ServiceRole, StreamName } from "../../lib/core/naming/names.ts";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";
import type { ProjectStack } from "../project-stack.ts";
import { rolePolicy, serviceRole } from "./iam.ts";
import { useProjectKey } from "./keys.ts";
import { LOG_DAYS } from "./log-key.ts";

export interface DeliveryStreamOptions {
  name: StreamName;
  role: ServiceRole;
  /** What it delivers, such as "Request log". */
  what: string;
  /** Encrypts the stream and its log group. */
  keyArn: string;
  /** The prefix in the bucket that it may write to. */
  prefix: string;
  /** The rest of the prefix: Firehose's time expressions. */
  timePrefix: string;
  /** Firehose writes an object when it reaches either limit. */
  bufferSeconds: number;
  bufferMegabytes: number;
}

/** Adds a delivery stream to the project's bucket, with its role and error log. */
export function deliveryStream(stack: ProjectStack, options: DeliveryStreamOptions): KinesisFirehoseDeliveryStream {
  const { names, input } = stack;
  const { name, prefix, keyArn } = options;
  const role = serviceRole(stack, "delivery-role", {
    name: names.role(options.role),
    description: `${options.what} of ${input.config.project.project_name} to its bucket`,
    service: "firehose.amazonaws.com",
    conditions: { StringEquals: { "sts:ExternalId": input.discovery.account } },
  });
  const group = new CloudwatchLogGroup(stack, "delivery-log", {
    name: names.streamLogGroup(name),
    retentionInDays: LOG_DAYS,
    kmsKeyId: keyArn,
  });
  const logStream = new CloudwatchLogStream(stack, "delivery-log-stream", {
    name: "errors",
    logGroupName: group.name,
  });
  const bucket = names.bucketArn();
  const policy = rolePolicy(stack, "delivery-policy", role, [
    { sid: "FindTheBucket", actions: ["s3:GetBucketLocation", "s3:ListBucketMultipartUploads"], resources: [bucket] },
    {
      sid: "WriteObjects",
      actions: ["s3:AbortMultipartUpload", "s3:PutObject"],
      resources: [`${bucket}/${prefix}*`, `${bucket}/${PREFIXES.deliveryErrors}*`],
    },
    useProjectKey(names, ["kms:Decrypt", "kms:GenerateDataKey"]),
    writeLogs(names.arn("logs", `log-group:${names.streamLogGroup(name)}`)),
  ]);
  return new KinesisFirehoseDeliveryStream(stack, "delivery", {
    name: names.stream(name),
    destination: "extended_s3",
    serverSideEncryption: { enabled: true, keyType: "CUSTOMER_MANAGED_CMK", keyArn },
    extendedS3Configuration: {
      roleArn: role.arn,
      bucketArn: bucket,
      prefix: `${prefix}${options.timePrefix}`,
      errorOutputPrefix: `${PREFIXES.deliveryErrors}${name}/!{firehose:error-output-type}/day=!{timestamp:yyyy-MM-dd}/`,
      compressionFormat: "GZIP",
      bufferingInterval: options.bufferSeconds,
      bufferingSize: options.bufferMegabytes,
      cloudwatchLoggingOptions: { enabled: true, logGroupName: group.name, logStreamName: logStream.name },
    },
    dependsOn: [policy],
  });
}
