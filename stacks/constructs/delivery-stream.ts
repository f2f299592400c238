import { CloudwatchLogStream } from "#aws/cloudwatch-log-stream";
import { KinesisFirehoseDeliveryStream } from "#aws/kinesis-firehose-delivery-stream";
import { DELIVERY_STREAMS } from "../../lib/infrastructure/delivery-streams.ts";
import { writeLogs } from "../../lib/platform/aws/iam-statement.ts";
import type { StreamName } from "../../lib/platform/naming/names.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import type { ProjectStack } from "../project-stack.ts";
import { rolePolicy, serviceRole } from "./iam.ts";
import { useProjectKey } from "./keys.ts";

export interface DeliveryStreamOptions {
  name: StreamName;
  /** The prefix of its resource ids, for the second stream of a stack. Default: delivery. */
  id?: string;
  /** Name of the delivered data, such as "Request log". */
  what: string;
  /** Encrypts the stream and its log group. */
  keyArn: string;
  /** Firehose writes an object after this time, or earlier when the object reaches {@link BUFFER_MEGABYTES}. */
  bufferSeconds: number;
}

/** Bulk uploads reach this size before the time is over. */
const BUFFER_MEGABYTES = 64;

/** Creates a delivery stream to the project's bucket, its role and its log of errors. */
export function deliveryStream(stack: ProjectStack, options: DeliveryStreamOptions): KinesisFirehoseDeliveryStream {
  const { names, input } = stack;
  const { name, keyArn, id = "delivery" } = options;
  const delivered = DELIVERY_STREAMS[name];
  const role = serviceRole(stack, `${id}-role`, {
    name: names.role(delivered.role),
    description: `${options.what} of ${input.config.project.project_name} to its bucket`,
    service: "firehose.amazonaws.com",
    conditions: { StringEquals: { "sts:ExternalId": input.discovery.account } },
  });
  const group = stack.logGroup(`${id}-log`, names.streamLogGroup(name), keyArn);
  const logStream = new CloudwatchLogStream(stack, `${id}-log-stream`, { name: "errors", logGroupName: group.name });
  const bucket = names.bucketArn();
  const policy = rolePolicy(stack, `${id}-policy`, role, [
    { sid: "FindTheBucket", actions: ["s3:GetBucketLocation", "s3:ListBucketMultipartUploads"], resources: [bucket] },
    {
      sid: "WriteObjects",
      actions: ["s3:AbortMultipartUpload", "s3:PutObject"],
      resources: [`${bucket}/${delivered.folder}*`, `${bucket}/${PREFIXES.deliveryErrors}*`],
    },
    useProjectKey(stack, ["kms:Decrypt", "kms:GenerateDataKey"]),
    writeLogs(names.arn("logs", `log-group:${names.streamLogGroup(name)}`)),
  ]);
  return new KinesisFirehoseDeliveryStream(stack, id, {
    name: names.stream(name),
    destination: "extended_s3",
    serverSideEncryption: { enabled: true, keyType: "CUSTOMER_MANAGED_CMK", keyArn },
    extendedS3Configuration: {
      roleArn: role.arn,
      bucketArn: bucket,
      prefix: delivered.prefix,
      errorOutputPrefix: delivered.errorPrefix,
      compressionFormat: "GZIP",
      bufferingInterval: options.bufferSeconds,
      bufferingSize: BUFFER_MEGABYTES,
      cloudwatchLoggingOptions: { enabled: true, logGroupName: group.name, logStreamName: logStream.name },
    },
    dependsOn: [policy],
  });
}
