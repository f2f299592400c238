import type { Construct } from "constructs";
import { S3Bucket } from "#aws/s3-bucket";
import { S3BucketLifecycleConfiguration } from "#aws/s3-bucket-lifecycle-configuration";
import { S3BucketOwnershipControls } from "#aws/s3-bucket-ownership-controls";
import { S3BucketPolicy } from "#aws/s3-bucket-policy";
import { S3BucketPublicAccessBlock } from "#aws/s3-bucket-public-access-block";
import { S3BucketServerSideEncryptionConfigurationA } from "#aws/s3-bucket-server-side-encryption-configuration";
import { S3BucketVersioningA } from "#aws/s3-bucket-versioning";
import { SecretsmanagerSecret } from "#aws/secretsmanager-secret";
import type { StackName } from "../lib/platform/naming/names.ts";
import { PREFIXES } from "../lib/platform/naming/object-keys.ts";
import { keysWithSecrets } from "../lib/settings/access.ts";
import { encryptionKey, type KeyStatement } from "./constructs/keys.ts";
import type { StackInput } from "./input.ts";
import { ProjectStack } from "./project-stack.ts";

/** Retention of replaced and deleted object versions, in days. */
const KEEP_VERSIONS_DAYS = 30;
/** Retention of undeliverable records, in days. */
const KEEP_ERRORS_DAYS = 30;

/** Retention of what `relevance batch` wrote, in days. */
const KEEP_BATCHES_DAYS = 30;

const PERSONALIZE = "personalize.amazonaws.com";

/**
 * What Personalize and its role need in the key's policy. Source: Personalize Developer Guide, "Giving Amazon Personalize
 * permission to use your AWS KMS key".
 */
const PERSONALIZE_KEY_ACTIONS = [
  "kms:Decrypt",
  "kms:GenerateDataKey",
  "kms:DescribeKey",
  "kms:CreateGrant",
  "kms:ListGrants",
];

/**
 * The resources that outlive both services: bucket and key with their policies, the secrets for hashing user ids in the
 * log and for tokens, and the one that holds API keys.
 */
export class StorageStack extends ProjectStack {
  constructor(scope: Construct, id: StackName, input: StackInput) {
    super(scope, id, input);
    const key = encryptionKey(this, "key", {
      alias: this.names.kmsAlias(),
      description: `${input.config.project.project_name}: bucket, alarms and secrets`,
      statements: this.keyStatements(),
      protect: true,
    });
    const bucket = this.bucket(key.arn);
    if (input.config.api.logging.user_id === "hmac") this.userIdKey(key.arn);
    for (const { name } of keysWithSecrets(input.config.api)) this.tokenSecret(name, key.arn);
    if (input.config.api.keys_to === "secretsmanager" && input.config.api.authorization === "api_key") {
      this.apiKeys(key.arn);
    }
    this.output("bucket", bucket.bucket);
    this.output("key_arn", key.arn);
  }

  private keyStatements(): KeyStatement[] {
    const { account } = this.input.discovery;
    const ownAccount = { StringEquals: { "aws:SourceAccount": account } };
    return [
      {
        sid: "AlarmsToTopics",
        services: ["cloudwatch.amazonaws.com"],
        actions: ["kms:Decrypt", "kms:GenerateDataKey"],
        conditions: ownAccount,
      },
      ...(this.input.config.recommendation
        ? [
            {
              sid: "PersonalizeImports",
              services: [PERSONALIZE],
              actions: PERSONALIZE_KEY_ACTIONS,
              conditions: ownAccount,
            },
            {
              // The role is made later, and KMS refuses a principal that does not exist. A condition may name it.
              sid: "PersonalizesRole",
              actions: PERSONALIZE_KEY_ACTIONS,
              conditions: {
                StringEquals: { "kms:CallerAccount": account },
                ArnEquals: { "aws:PrincipalArn": this.names.roleArn(this.names.role("personalize")) },
              },
            },
          ]
        : []),
    ];
  }

  private bucket(keyArn: string): S3Bucket {
    // checkov:skip=CKV_AWS_18 aws_s3_bucket.bucket: access logs need a second bucket; CloudTrail data events are up to
    // the account
    // checkov:skip=CKV_AWS_144 aws_s3_bucket.bucket: data stays in the configured region; versions protect against
    // deletion
    // checkov:skip=CKV2_AWS_62 aws_s3_bucket.bucket: nothing waits for objects, so nothing would read the notifications
    const bucket = new S3Bucket(this, "bucket", {
      bucket: this.names.bucket(),
      // Only `purge` deletes it, after emptying it; `removal.ts` plans that without this file.
      lifecycle: { preventDestroy: true },
    });
    const versioning = new S3BucketVersioningA(this, "bucket-versioning", {
      bucket: bucket.id,
      versioningConfiguration: { status: "Enabled" },
    });
    const access = new S3BucketPublicAccessBlock(this, "bucket-public-access", {
      bucket: bucket.id,
      blockPublicAcls: true,
      blockPublicPolicy: true,
      ignorePublicAcls: true,
      restrictPublicBuckets: true,
    });
    new S3BucketOwnershipControls(this, "bucket-ownership", {
      bucket: bucket.id,
      rule: { objectOwnership: "BucketOwnerEnforced" },
    });
    new S3BucketServerSideEncryptionConfigurationA(this, "bucket-encryption", {
      bucket: bucket.id,
      rule: [
        {
          applyServerSideEncryptionByDefault: { sseAlgorithm: "aws:kms", kmsMasterKeyId: keyArn },
          bucketKeyEnabled: true,
        },
      ],
    });
    new S3BucketLifecycleConfiguration(this, "bucket-lifecycle", {
      bucket: bucket.id,
      rule: this.lifecycleRules(),
      // Rules for noncurrent versions need versioning first.
      dependsOn: [versioning],
    });
    // S3 rejects concurrent changes of a bucket's access settings.
    new S3BucketPolicy(this, "bucket-policy", { bucket: bucket.id, policy: this.bucketPolicy(), dependsOn: [access] });
    return bucket;
  }

  private lifecycleRules() {
    const { event_retention_days: kept, run_retention_days: runs } =
      this.input.config.recommendation?.personalize ?? {};
    const expiring = [
      ...(kept === undefined ? [] : [{ id: "events", prefix: PREFIXES.events, days: kept }]),
      // What ETL made of the events, which contains the same.
      ...(kept === undefined ? [] : [{ id: "transformed-events", prefix: PREFIXES.etlDays, days: kept }]),
      ...(runs === undefined ? [] : [{ id: "runs", prefix: PREFIXES.etlRuns, days: runs }]),
      ...(this.input.config.recommendation ? [{ id: "batches", prefix: PREFIXES.batch, days: KEEP_BATCHES_DAYS }] : []),
      { id: "request-log", prefix: PREFIXES.logs, days: this.input.config.api.logging.retention_days },
      { id: "delivery-errors", prefix: PREFIXES.deliveryErrors, days: KEEP_ERRORS_DAYS },
      { id: "answers-of-athena", prefix: PREFIXES.athena, days: 1 },
    ];
    return [
      ...expiring.map(({ id, prefix, days }) => ({
        id,
        status: "Enabled",
        filter: [{ prefix }],
        expiration: [{ days }],
      })),
      {
        id: "earlier-versions",
        status: "Enabled",
        filter: [{}],
        noncurrentVersionExpiration: [{ noncurrentDays: KEEP_VERSIONS_DAYS }],
        // Of an expired object S3 keeps a marker, with its name, until the versions below it are gone, and then for ever.
        expiration: [{ expiredObjectDeleteMarker: true }],
        abortIncompleteMultipartUpload: [{ daysAfterInitiation: 7 }],
      },
    ];
  }

  private bucketPolicy(): string {
    const { discovery, config } = this.input;
    const bucket = this.names.bucketArn();
    const Condition = { StringEquals: { "aws:SourceAccount": discovery.account } };
    const personalize = { Effect: "Allow", Principal: { Service: PERSONALIZE }, Condition };
    return JSON.stringify({
      Version: "2012-10-17",
      Statement: [
        this.tlsOnly("s3:*", bucket, `${bucket}/*`),
        ...(config.recommendation
          ? [
              { Sid: "PersonalizeLists", ...personalize, Action: "s3:ListBucket", Resource: bucket },
              {
                Sid: "PersonalizeReads",
                ...personalize,
                Action: "s3:GetObject",
                Resource: `${bucket}/${PREFIXES.etl}*`,
              },
              {
                Sid: "PersonalizeBatches",
                ...personalize,
                Action: ["s3:GetObject", "s3:PutObject"],
                Resource: `${bucket}/${PREFIXES.batch}*`,
              },
            ]
          : []),
      ],
    });
  }

  /** Created without a value: the keys exist later, and `deploy` writes them. */
  private apiKeys(keyArn: string): void {
    // checkov:skip=CKV2_AWS_57 aws_secretsmanager_secret.api-keys: `relevance rotate-key` replaces keys while callers
    // use both
    new SecretsmanagerSecret(this, "api-keys", {
      name: this.names.apiKeysSecret(),
      description: `API keys of ${this.input.config.project.project_name}`,
      kmsKeyId: keyArn,
      // Delete the secret at once: API Gateway also has its values, and a recovery window would block reuse of the
      // name.
      recoveryWindowInDays: 0,
    });
  }

  /** Created without a value, which would end up in the state; `deploy` writes a random one if there is none. */
  private tokenSecret(name: string, keyArn: string): void {
    // checkov:skip=CKV2_AWS_57 aws_secretsmanager_secret.tokens-*: `relevance token --rotate` replaces it while
    // servers sign with both
    new SecretsmanagerSecret(this, `tokens-${name}`, {
      name: this.names.tokenSecret(name),
      description: `Signs the tokens of the key ${name}`,
      kmsKeyId: keyArn,
      recoveryWindowInDays: 0,
    });
  }

  /** Created without a value, which would end up in the state; `deploy` writes a random one if there is none. */
  private userIdKey(keyArn: string): void {
    // checkov:skip=CKV2_AWS_57 aws_secretsmanager_secret.user-id-key: another value would hash the same users
    // differently
    new SecretsmanagerSecret(this, "user-id-key", {
      name: this.names.userIdKeyParameter(),
      description: "Key of the hash that stands for user ids in the request log",
      kmsKeyId: keyArn,
      // Only `purge` deletes it. A recovery window would block its name, and thus the next deployment, for weeks.
      recoveryWindowInDays: 0,
    });
  }
}
