import { join, relative, resolve } from "node:path";
import type { Construct } from "constructs";
import { CloudwatchLogGroup } from "#aws/cloudwatch-log-group";
import { AwsProvider } from "#aws/provider";
import { SqsQueue, type SqsQueueConfig } from "#aws/sqs-queue";
import { LocalBackend } from "#cdktf/backends/local-backend";
import { S3Backend } from "#cdktf/backends/s3-backend";
import { TerraformOutput } from "#cdktf/terraform-output";
import { TerraformStack } from "#cdktf/terraform-stack";
import { type FunctionName, type Names, namesOf, type StackName } from "../lib/platform/naming/names.ts";
import { PROJECT_TAG, STACK_TAG } from "../lib/platform/naming/tags.ts";
import type { Artifact, StackInput } from "./input.ts";

/** First version with lock files for S3 state; import blocks need it too. */
const TERRAFORM_VERSION = ">= 1.10";

/**
 * Version of the AWS provider, by `terraform.provider`. The bindings are generated from the first, which all tests run. 6.x
 * writes state of `aws_lambda_invocation` that 5.x cannot read, so the versions are exact. `test/bindings` compares the JSON
 * with that of bindings of 6.25.0, the last before cdktf ended, and of a newer one.
 */
const PROVIDER_VERSIONS = { 5: "5.100.0", 6: "6.25.0" } as const;

/** Base class of all stacks: provider, state, tags, names. */
export abstract class ProjectStack extends TerraformStack {
  readonly input: StackInput;
  readonly names: Names;

  constructor(scope: Construct, id: StackName, input: StackInput) {
    super(scope, id);
    this.input = input;
    const { config, discovery, maxRetries } = input;
    const { project_name: project, aws, terraform } = config.project;
    const { account, region } = discovery;
    this.names = namesOf({ project, account, region, rolePath: aws.role_path });
    new AwsProvider(this, "aws", {
      region: discovery.region,
      allowedAccountIds: [discovery.account],
      defaultTags: [{ tags: { ...aws.tags, [PROJECT_TAG]: project, [STACK_TAG]: id } }],
      ...(maxRetries !== undefined && { maxRetries }),
    });
    this.addOverride("terraform.required_version", TERRAFORM_VERSION);
    this.addOverride("terraform.required_providers.aws.version", PROVIDER_VERSIONS[terraform.provider]);
    this.addBackend(id);
  }

  /** Returns the built function. Throws if it was not built. */
  artifact(name: FunctionName): Artifact {
    const artifact = this.input.artifacts[name];
    if (!artifact) throw new Error(`function ${name} has not been built`);
    return artifact;
  }

  /** Returns a path relative to the stack's folder, which is Terraform's working directory. */
  pathFromStack(path: string): string {
    return relative(join(resolve(this.input.outdir), "stacks", this.node.id), resolve(path));
  }

  /** Retention of log groups, in days. Logs are for troubleshooting; what must be kept is in the bucket. */
  get logDays(): number {
    return this.input.config.project.aws.log_retention_days;
  }

  /** Adds a log group that expires after `aws.log_retention_days`, unless it is given another number of days. */
  logGroup(id: string, name: string, kmsKeyId: string, retentionInDays = this.logDays): CloudwatchLogGroup {
    // checkov:skip=CKV_AWS_338 aws_cloudwatch_log_group: logs are for troubleshooting; what must be kept is in the
    // bucket
    return new CloudwatchLogGroup(this, id, { name, retentionInDays, kmsKeyId });
  }

  /** Returns the statement that refuses calls of a resource without TLS. */
  tlsOnly(Action: "s3:*" | "sqs:*" | "sns:Publish", ...resources: string[]) {
    const Condition = { Bool: { "aws:SecureTransport": "false" } };
    return { Sid: "TlsOnly", Effect: "Deny", Principal: "*", Action, Resource: resources, Condition };
  }

  /** Adds a queue that is encrypted and refuses calls without TLS. */
  queue(id: string, name: string, config: Omit<SqsQueueConfig, "name" | "policy">): SqsQueue {
    const Statement = [this.tlsOnly("sqs:*", this.names.arn("sqs", name))];
    const policy = JSON.stringify({ Version: "2012-10-17", Statement });
    return new SqsQueue(this, id, { ...config, name, sqsManagedSseEnabled: true, policy });
  }

  /** Adds an output. */
  output(name: string, value: string, { sensitive = false } = {}): void {
    // Needs a prefix, since a resource may have the same name.
    new TerraformOutput(this, `output-${name}`, { value, sensitive }).overrideLogicalId(name);
  }

  private addBackend(id: StackName): void {
    const { state } = this.input.config.project.terraform;
    if (state.type === "local") {
      const folder = this.input.stateFolder ?? ".terraform-state";
      new LocalBackend(this, { path: this.pathFromStack(join(folder, this.names.stateFile(id))) });
      return;
    }
    const { bucket, region, key_prefix, kms_key_id, role_arn } = state;
    const key = this.names.stateKey(id, key_prefix);
    new S3Backend(this, { bucket, region, key, encrypt: true, ...(kms_key_id && { kmsKeyId: kms_key_id }) });
    // CDKTF 0.21 has no properties for these.
    this.addOverride("terraform.backend.s3.use_lockfile", true);
    if (role_arn !== undefined) this.addOverride("terraform.backend.s3.assume_role", { role_arn });
  }
}

/** Escapes Terraform interpolations and directives, so that Terraform keeps the text unchanged. */
export function literal(text: string): string {
  return text.replaceAll("${", "$$${").replaceAll("%{", "%%{");
}
