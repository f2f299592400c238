import type { BucketLocationConstraint, S3Client } from "@aws-sdk/client-s3";
import type { SdkConfig } from "../discovery/sdk/config.ts";

/** A setting of the bucket for Terraform's state. */
export interface Setting {
  /** The missing setting; undefined if the bucket has it. */
  lacks(): Promise<string | undefined>;
  /** Adds what is missing, and leaves everything else as it is. */
  add(): Promise<unknown>;
}

/** The bucket for Terraform's state. */
export interface StateBucket {
  /** Creates it with all settings: versioned, encrypted, no public access, TLS only. */
  create(): Promise<void>;
  /** Returns the settings that an existing bucket lacks, with what is missing. */
  missing(): Promise<{ setting: Setting; lacks: string }[]>;
}

/** Opens a bucket that may not exist yet. */
export async function openStateBucket(
  sdk: SdkConfig,
  bucket: string,
  { partition, key }: { partition: string; key?: string | undefined },
): Promise<StateBucket> {
  const s3 = await import("@aws-sdk/client-s3");
  const client = new s3.S3Client(sdk);
  const settings = await settingsOf(client, bucket, { arn: `arn:${partition}:s3:::${bucket}`, key });
  return {
    async create() {
      const LocationConstraint = sdk.region as BucketLocationConstraint;
      await client.send(
        new s3.CreateBucketCommand({
          Bucket: bucket,
          // S3 rejects us-east-1 as a location constraint.
          ...(sdk.region !== "us-east-1" && { CreateBucketConfiguration: { LocationConstraint } }),
        }),
      );
      await s3.waitUntilBucketExists({ client, maxWaitTime: 60 }, { Bucket: bucket });
      for (const { add } of settings) await add();
    },
    async missing() {
      const found = [];
      for (const setting of settings) {
        const lacks = await setting.lacks();
        if (lacks !== undefined) found.push({ setting, lacks });
      }
      return found;
    },
  };
}

const PUBLIC_ACCESS = ["BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"] as const;

/** Returns the settings. The policy comes before the block of public access, which refuses changes of public policies. */
async function settingsOf(
  client: S3Client,
  Bucket: string,
  { arn, key }: { arn: string; key: string | undefined },
): Promise<Setting[]> {
  const s3 = await import("@aws-sdk/client-s3");
  const policy = async () =>
    (await unless("NoSuchBucketPolicy", client.send(new s3.GetBucketPolicyCommand({ Bucket }))))?.Policy;
  const access = async () => {
    const answer = client.send(new s3.GetPublicAccessBlockCommand({ Bucket }));
    return (await unless("NoSuchPublicAccessBlockConfiguration", answer))?.PublicAccessBlockConfiguration ?? {};
  };
  return [
    {
      async lacks() {
        const { Status } = await client.send(new s3.GetBucketVersioningCommand({ Bucket }));
        return Status === "Enabled" ? undefined : `versioning, which is ${Status?.toLowerCase() ?? "off"}`;
      },
      add: () =>
        client.send(new s3.PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: "Enabled" } })),
    },
    {
      async lacks() {
        const answer = client.send(new s3.GetBucketEncryptionCommand({ Bucket }));
        const found = await unless("ServerSideEncryptionConfigurationNotFoundError", answer);
        return found?.ServerSideEncryptionConfiguration?.Rules?.length ? undefined : "encryption by default (aws:kms)";
      },
      add: () =>
        client.send(
          new s3.PutBucketEncryptionCommand({
            Bucket,
            ServerSideEncryptionConfiguration: {
              Rules: [
                {
                  ApplyServerSideEncryptionByDefault: {
                    SSEAlgorithm: "aws:kms",
                    ...(key !== undefined && { KMSMasterKeyID: key }),
                  },
                  BucketKeyEnabled: true,
                },
              ],
            },
          }),
        ),
    },
    {
      async lacks() {
        return isTlsOnly(await policy(), arn) ? undefined : "a statement in its policy that denies access without TLS";
      },
      add: async () => client.send(new s3.PutBucketPolicyCommand({ Bucket, Policy: withTlsOnly(await policy(), arn) })),
    },
    {
      async lacks() {
        const found = await access();
        const off = PUBLIC_ACCESS.filter((flag) => found[flag] !== true);
        return off.length === 0 ? undefined : `the block of public access (${off.join(", ")})`;
      },
      add: () =>
        client.send(
          new s3.PutPublicAccessBlockCommand({
            Bucket,
            PublicAccessBlockConfiguration: Object.fromEntries(PUBLIC_ACCESS.map((flag) => [flag, true])),
          }),
        ),
    },
  ];
}

/** Returns the answer, or undefined for the error with this name. */
async function unless<T>(name: string, answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: Error) => {
    if (error.name === name) return undefined;
    throw error;
  });
}

interface PolicyStatement {
  Sid?: string;
  Effect?: string;
  Principal?: unknown;
  Action?: string | string[];
  Resource?: string | string[];
  Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const statementsOf = (policy: string | undefined): PolicyStatement[] =>
  policy === undefined ? [] : [JSON.parse(policy).Statement].flat();

/** Returns whether a bucket policy denies everybody every call without TLS, and nothing more is asked. */
function isTlsOnly(policy: string | undefined, arn: string): boolean {
  return statementsOf(policy).some(({ Effect, Principal, Action, Resource, Condition = {} }) => {
    const everybody = [Principal, (Principal as { AWS?: unknown } | undefined)?.AWS].flat().includes("*");
    const resources = [Resource].flat();
    const all = resources.includes("*") || (resources.includes(arn) && resources.includes(`${arn}/*`));
    const conditions = Object.entries(Condition).flatMap(([operator, keys]) =>
      Object.entries(keys).map(([key, value]) => `${operator} ${key.toLowerCase()} ${[value].flat().join()}`),
    );
    const insecure = conditions.length === 1 && conditions[0] === "Bool aws:securetransport false";
    return (
      Effect === "Deny" && everybody && all && insecure && [Action].flat().some((one) => one === "s3:*" || one === "*")
    );
  });
}

/** Returns a policy with the statement that denies calls without TLS, after those that it has. */
function withTlsOnly(policy: string | undefined, arn: string): string {
  const Statement = statementsOf(policy);
  const Sid = "TlsOnly";
  const added = {
    // Sids are unique in a policy.
    ...(!Statement.some((one) => one.Sid === Sid) && { Sid }),
    Effect: "Deny",
    Principal: "*",
    Action: "s3:*",
    Resource: [arn, `${arn}/*`],
    Condition: { Bool: { "aws:SecureTransport": "false" } },
  };
  const document = policy === undefined ? { Version: "2012-10-17" } : JSON.parse(policy);
  return JSON.stringify({ ...document, Statement: [...Statement, added] });
}
